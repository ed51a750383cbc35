/* summary.c: see summary.h. */
#include "inspect/summary.h"

#include <stdlib.h>

#include "recording/error.h"

struct counting {
  struct summary *to;
  bool no_memory;
};

struct ordering {
  struct recording_reader *reader;
  struct counting *counting;
};

static struct thread_summary *of_thread(struct counting *counting, uint32_t thread) {
  struct summary *to = counting->to;
  if (thread >= to->thread_count) {
    size_t wanted = thread + (size_t)thread / 2 + 16;
    struct thread_summary *larger = realloc(to->threads, wanted * sizeof *larger);
    if (!larger) {
      counting->no_memory = true;
      return NULL;
    }
    for (size_t i = to->thread_count; i < wanted; i++) larger[i] = (struct thread_summary){0};
    to->threads = larger;
    to->thread_count = wanted;
  }
  struct thread_summary *summary = &to->threads[thread];
  to->live_threads += !summary->known;
  summary->known = true;
  return summary;
}

static void count_frame(void *context, struct recording_stream_id id, const struct recording_frame *frame) {
  struct counting *counting = context;
  if (id.kind == RECORDING_ORDER) {
    counting->to->order_raw += frame->length;
    counting->to->order_stored += frame->stored;
    return;
  }
  struct thread_summary *thread = of_thread(counting, id.thread);
  if (!thread) return;
  thread->raw += frame->length;
  thread->stored += frame->stored;
}

static void count_births(struct counting *counting, const struct log_entry *entry, uint32_t process) {
  const struct input_event *e = &entry->event;
  struct thread_summary *child = NULL;
  if (e->kind == EVENT_THREAD) child = of_thread(counting, e->thread.thread);
  if (e->kind == EVENT_PROCESS) {
    child = of_thread(counting, e->process.thread);
    process = e->process.process;
    counting->to->processes++;
  }
  if (child) child->process = process;
}

static void count_entry(struct counting *counting, const struct log_entry *entry) {
  struct thread_summary *thread = of_thread(counting, entry->thread);
  if (!thread) return;
  if (entry->position > thread->instructions) thread->instructions = entry->position;
  if (entry->kind == LOG_CHUNK) {
    thread->chunks++;
    return;
  }
  const struct input_event *e = &entry->event;
  thread->events[e->kind]++;
  if (e->kind == EVENT_COPY_IN) thread->copied += e->copy_in.count;
  if (e->kind == EVENT_CHECK && counting->to->epochs < e->check.epoch) counting->to->epochs = e->check.epoch;
  if (e->kind == EVENT_CHECK && e->check.has_memory) counting->to->memory_checks[e->check.sample]++;
  if (e->kind == EVENT_SYSCALL)
    counting->to->calls[e->syscall.nr < SUMMARY_CALLS ? e->syscall.nr : SUMMARY_CALLS - 1]++;
  count_births(counting, entry, thread->process);
}

static void add_up(struct summary *to) {
  for (size_t i = 0; i < to->thread_count; i++) {
    const struct thread_summary *t = &to->threads[i];
    to->all.instructions += t->instructions;
    to->all.chunks += t->chunks;
    to->all.copied += t->copied;
    to->all.raw += t->raw;
    to->all.stored += t->stored;
    for (unsigned kind = 0; kind < EVENT_KINDS; kind++) to->all.events[kind] += t->events[kind];
  }
}

/* The order logs of threads, where there are such: logs_next has not read them. */
static int count_orders(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct ordering *ordering = context;
  struct recording_stream *stream;
  struct recording_frame frame;
  if (id.kind != RECORDING_ORDER || id.thread == RECORDING_SPHERE) return 0;
  int status = recording_stream_open(ordering->reader, id, &stream, error);
  if (status) return status;
  while (!(status = recording_next(stream, &frame, error))) count_frame(ordering->counting, id, &frame);
  recording_stream_close(stream);
  bool breaks_off =
      status == RECORDING_TRUNCATED && recording_reader_state(ordering->reader) != RECORDING_COMPLETE;
  return status == RECORDING_END || breaks_off ? 0 : status;
}

int summary_count(struct recording_reader *reader, struct summary *out, struct recording_error *error) {
  struct counting counting = {.to = out};
  struct log_entry entry;
  struct logs *logs;
  *out = (struct summary){0};
  int status = logs_open(reader, count_frame, &counting, &logs, error);
  if (status) return status;
  while (!(status = logs_next(logs, &entry, error)) && !counting.no_memory) count_entry(&counting, &entry);
  logs_close(logs);
  add_up(out);
  if (counting.no_memory)
    return recording_fail(error, RECORDING_SYSTEM, "recording", "no memory for its threads");
  if (status != RECORDING_END) return status;
  return recording_each_stream(reader, count_orders, &(struct ordering){reader, &counting}, error);
}

void summary_free(struct summary *summary) {
  free(summary->threads);
}

/* logs.c: merges the streams of a recording. See logs.h.
 *
 * Each R-thread's stream is opened when its first chunk comes and closed at its end. An event may reach from one frame into the
 * next, so the rest of a frame is kept and the next frame is appended to it. */
#include "inspect/logs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/error.h"

/* A stream of bytes that are not cut where frames are. */
struct tap {
  struct recording_stream_id id;
  struct recording_stream *stream; /* NULL: there is none, or it was read to its end */
  uint8_t *bytes;                  /* not yet taken: at..end */
  size_t at, end, capacity;
};

struct thread_log {
  struct tap tap;
  struct input_codec codec;
  uint64_t position; /* where its last chunk ended */
  bool has_next;
  size_t next_bytes;
  struct input_event next;
};

struct logs {
  struct recording_reader *reader;
  log_visit_frame *visit;
  void *context;
  struct thread_log **threads; /* those that are open */
  size_t count, capacity;
  struct tap order;
  bool ordered;     /* by chunks */
  bool chunk_known; /* the running chunk's end is this: */
  struct chunk_end chunk;
  uint32_t running; /* R-thread */
  bool draining;    /* no order any more: one stream after the other */
  uint32_t *unread; /* without order: the threads to come, */
  size_t unread_count, unread_at;
};

/* -- Bytes -------------------------------------------------------------------------------------------------------------------- */

static int tap_open(struct logs *logs, struct tap *tap, struct recording_stream_id id,
                    struct recording_error *error) {
  *tap = (struct tap){.id = id};
  int status = recording_stream_open(logs->reader, id, &tap->stream, error);
  return status == RECORDING_ABSENT ? RECORDING_OK : status;
}

static void tap_close(struct tap *tap) {
  if (tap->stream) recording_stream_close(tap->stream);
  free(tap->bytes);
  *tap = (struct tap){0};
}

/* Puts a frame behind what is left. */
static int tap_keep(struct tap *tap, const struct recording_frame *frame, struct recording_error *error) {
  size_t left = tap->end - tap->at;
  if (left) memmove(tap->bytes, tap->bytes + tap->at, left);
  if (left + frame->length > tap->capacity) {
    uint8_t *larger = realloc(tap->bytes, left + frame->length);
    if (!larger) return recording_fail(error, RECORDING_SYSTEM, "recording", "no memory for a frame");
    tap->bytes = larger;
    tap->capacity = left + frame->length;
  }
  memcpy(tap->bytes + left, frame->bytes, frame->length);
  tap->at = 0;
  tap->end = left + frame->length;
  return RECORDING_OK;
}

/* Gets more bytes: RECORDING_OK, RECORDING_END when there are none, or a failure. */
static int tap_more(struct logs *logs, struct tap *tap, struct recording_error *error) {
  struct recording_frame frame;
  if (!tap->stream) return RECORDING_END;
  int status = recording_next(tap->stream, &frame, error);
  bool breaks_off =
      status == RECORDING_TRUNCATED && recording_reader_state(logs->reader) != RECORDING_COMPLETE;
  if (status == RECORDING_END || breaks_off) {
    recording_stream_close(tap->stream);
    tap->stream = NULL;
    return RECORDING_END;
  }
  if (status) return status;
  if (logs->visit) logs->visit(logs->context, tap->id, &frame);
  return tap_keep(tap, &frame, error);
}

static int not_an_event(const struct logs *logs, const char *what, uint32_t thread,
                        struct recording_error *error) {
  return recording_fail(error, RECORDING_DAMAGED, recording_reader_path(logs->reader),
                        "damaged: what the %s log of thread %" PRIu32 " holds is none", what, thread);
}

/* -- Threads ------------------------------------------------------------------------------------------------------------------ */

/* Where the thread is in the list; behind its end if it is not. */
static size_t find(const struct logs *logs, uint32_t thread) {
  size_t i = 0;
  while (i < logs->count && logs->threads[i]->tap.id.thread != thread) i++;
  return i;
}

static int open_thread(struct logs *logs, uint32_t thread, struct thread_log **out,
                       struct recording_error *error) {
  size_t i = find(logs, thread);
  if (i < logs->count) {
    *out = logs->threads[i];
    return RECORDING_OK;
  }
  if (logs->count == logs->capacity) {
    size_t wanted = logs->capacity ? 2 * logs->capacity : 16;
    struct thread_log **larger = realloc(logs->threads, wanted * sizeof(struct thread_log *));
    if (!larger) return recording_fail(error, RECORDING_SYSTEM, "recording", "no memory for a thread");
    logs->threads = larger;
    logs->capacity = wanted;
  }
  struct thread_log *log = calloc(1, sizeof *log);
  if (!log) return recording_fail(error, RECORDING_SYSTEM, "recording", "no memory for a thread");
  struct recording_stream_id id = {RECORDING_INPUT, thread};
  int status = tap_open(logs, &log->tap, id, error);
  if (status) {
    free(log);
    return status;
  }
  *out = logs->threads[logs->count++] = log;
  return RECORDING_OK;
}

static void close_thread(struct logs *logs, size_t i) {
  struct thread_log *log = logs->threads[i];
  logs->threads[i] = logs->threads[--logs->count];
  tap_close(&log->tap);
  free(log);
}

/* The thread's next event, decoded but not taken: RECORDING_OK, RECORDING_END, or a failure. */
static int peek(struct logs *logs, struct thread_log *log, struct recording_error *error) {
  struct tap *tap = &log->tap;
  while (!log->has_next) {
    long used = tap->end > tap->at
                    ? input_decode(&log->codec, &log->next, tap->bytes + tap->at, tap->end - tap->at)
                    : EVENT_TRUNCATED;
    if (used < 0 || tap->end - tap->at > EVENT_LARGEST + EVENT_COPY_LIMIT + RECORDING_FRAME_MAX)
      return not_an_event(logs, "input", tap->id.thread, error);
    if (used > 0) {
      log->next_bytes = (size_t)used;
      log->has_next = true;
      break;
    }
    int status = tap_more(logs, tap, error);
    if (status == RECORDING_END && tap->end > tap->at &&
        recording_reader_state(logs->reader) == RECORDING_COMPLETE)
      return not_an_event(logs, "input", tap->id.thread, error);
    if (status) return status;
  }
  return RECORDING_OK;
}

static void give_event(struct thread_log *log, struct log_entry *entry) {
  entry->kind = LOG_EVENT;
  entry->thread = log->tap.id.thread;
  entry->position = log->next.position;
  entry->event = log->next;
  log->tap.at += log->next_bytes;
  log->has_next = false;
}

/* -- Order -------------------------------------------------------------------------------------------------------------------- */

/* Learns where the running chunk ends, if the order log tells. */
static int next_chunk(struct logs *logs, struct recording_error *error) {
  struct tap *tap = &logs->order;
  struct chunk_end mark = {0};
  for (;;) {
    int used = tap->end > tap->at ? chunk_decode(&logs->chunk, tap->bytes + tap->at, tap->end - tap->at) : 0;
    if (used < 0)
      return recording_fail(error, RECORDING_DAMAGED, recording_reader_path(logs->reader),
                            "damaged: what the order log holds is none");
    tap->at += (size_t)used;
    logs->chunk_known = used > 0 && !chunk_is_mark(&logs->chunk, logs->running);
    if (logs->chunk_known) return RECORDING_OK;
    if (used > 0) mark = logs->chunk;
    int status = used ? RECORDING_OK : tap_more(logs, tap, error);
    if (status == RECORDING_END) break;
    if (status) return status;
  }
  logs->chunk = mark;
  logs->chunk.next = CHUNK_NOBODY;
  logs->chunk_known = mark.known;
  logs->draining = !mark.known;
  return RECORDING_OK;
}

/* True if the event belongs to the chunk that ends there: a call in which a chunk ends has its result after it, and a signal comes
 * after the end of the chunk at the same position. */
static bool in_chunk(const struct input_event *event, const struct chunk_end *chunk, uint64_t end) {
  if (event->position != end) return event->position < end;
  if (chunk->reason == CHUNK_CALL) return false;
  return chunk->reason != CHUNK_POLL || event->kind != EVENT_SIGNAL;
}

/* *given stays false when the order log is at its end. */
static int next_in_order(struct logs *logs, struct log_entry *entry, bool *given,
                         struct recording_error *error) {
  struct thread_log *log;
  int status = open_thread(logs, logs->running, &log, error);
  if (!status && !logs->chunk_known) status = next_chunk(logs, error);
  if (status || logs->draining) return status;
  uint64_t end = log->position + logs->chunk.length;
  status = peek(logs, log, error);
  if (status && status != RECORDING_END) return status;
  if (!status && in_chunk(&log->next, &logs->chunk, end)) {
    give_event(log, entry);
    *given = true;
    return RECORDING_OK;
  }
  *entry =
      (struct log_entry){.kind = LOG_CHUNK, .thread = logs->running, .position = end, .chunk = logs->chunk};
  *given = true;
  log->position = end;
  bool over = logs->chunk.reason == CHUNK_EXIT || logs->chunk.reason == CHUNK_DEAD;
  if (status == RECORDING_END && over) close_thread(logs, find(logs, entry->thread));
  logs->chunk_known = false;
  logs->running = logs->chunk.next;
  if (logs->running == CHUNK_NOBODY) logs->draining = true;
  return RECORDING_OK;
}

/* Without an order, or behind its end: what is left of each stream, one after the other. */
static int next_unordered(struct logs *logs, struct log_entry *entry, struct recording_error *error) {
  for (;;) {
    struct thread_log *log = logs->count ? logs->threads[0] : NULL;
    int status;
    if (!log) {
      if (logs->unread_at == logs->unread_count) return RECORDING_END;
      status = open_thread(logs, logs->unread[logs->unread_at++], &log, error);
      if (status) return status;
    }
    status = peek(logs, log, error);
    if (!status) give_event(log, entry);
    if (status != RECORDING_END) return status;
    close_thread(logs, 0);
  }
}

int logs_next(struct logs *logs, struct log_entry *entry, struct recording_error *error) {
  bool given = false;
  int status = logs->draining ? RECORDING_OK : next_in_order(logs, entry, &given, error);
  if (status || given) return status;
  return next_unordered(logs, entry, error);
}

/* -- Begin and end ------------------------------------------------------------------------------------------------------------ */

static int note_thread(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct logs *logs = context;
  if (id.kind != RECORDING_INPUT || id.thread == RECORDING_SPHERE) return 0;
  uint32_t *larger = realloc(logs->unread, (logs->unread_count + 1) * sizeof *larger);
  if (!larger) return recording_fail(error, RECORDING_SYSTEM, "recording", "no memory for its threads");
  logs->unread = larger;
  logs->unread[logs->unread_count++] = id.thread;
  return 0;
}

int logs_open(struct recording_reader *reader, log_visit_frame *visit, void *context, struct logs **out,
              struct recording_error *error) {
  struct logs *logs = calloc(1, sizeof *logs);
  if (!logs) return recording_fail(error, RECORDING_SYSTEM, "recording", "no memory");
  *logs = (struct logs){.reader = reader, .visit = visit, .context = context};
  const char *order = recording_get(reader, "order", 0);
  logs->ordered = order && !strcmp(order, "chunk");
  logs->draining = !logs->ordered;
  struct recording_stream_id id = {RECORDING_ORDER, RECORDING_SPHERE};
  int status = logs->ordered ? tap_open(logs, &logs->order, id, error)
                             : recording_each_stream(reader, note_thread, logs, error);
  if (status)
    logs_close(logs);
  else
    *out = logs;
  return status;
}

void logs_close(struct logs *logs) {
  while (logs->count) close_thread(logs, 0);
  tap_close(&logs->order);
  free(logs->threads);
  free(logs->unread);
  free(logs);
}

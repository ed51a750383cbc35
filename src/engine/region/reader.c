/* reader.c: the input log of a thread in replay. An event is decoded, and refused if it makes no sense, before the replayer sees it. See reader.h. */
#include "engine/region/reader.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/region/endings.h"
#include "engine/region/value_log.h"

/* The call's result is an address at which something is mapped that can be accessed: of a fence the engine's part is left out. */
static bool maps(const struct input_event *event) {
  if (event->syscall.nr == __NR_mmap) return event->syscall.args[2] != PROT_NONE;
  return event->syscall.nr == __NR_mremap || event->syscall.nr == __NR_shmat;
}

/* No recording can name the engine's memory: nothing of the program's was ever there. */
static void refuse_engine(const struct rthread *rthread) {
  const struct input_event *event = &rthread->input.next;
  uintptr_t start = 0, bytes = 0;
  if (event->kind == EVENT_COPY_IN) {
    start = event->copy_in.address;
    bytes = event->copy_in.count;
  } else if (event->kind == EVENT_FILE) {
    start = event->file.address;
    bytes = event->file.bytes;
  } else if (event->kind == EVENT_SYSCALL && maps(event) && !os_failed(event->syscall.result)) {
    start = (uintptr_t)event->syscall.result;
    bytes = 1;
  }
  if (bytes && (start + bytes < start || mappings_in_engine(start, bytes)))
    sphere_fail(OUTCOME_DAMAGED, "the input log of thread %u names memory at %lx that no program has",
                rthread->number, start);
}

/* Takes values that are next out of the log, and times, which are for `reprise solve'. */
static void read_values(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  const struct input_event *event = &rthread->input.next;
  bool time = event->kind == EVENT_OPEN && event->open.what == OPEN_TIME;
  if (!time && (event->kind != EVENT_OPEN || event->open.what != OPEN_VALUES)) return;
  if (!values_recorded()) replay_senseless(thread, "this recording has no values");
  if (values_on() && !time) value_log_read(thread, event->open.bytes, event->open.count);
  ring_consume(&rthread->ring, rthread->input.next_bytes);
  rthread->input.next_bytes = 0;
}

const struct input_event *replay_peek(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  while (!rthread->input.next_bytes) {
    size_t count;
    const uint8_t *bytes = ring_content(&rthread->ring, &count);
    long used =
        count ? input_decode(&rthread->input.codec, &rthread->input.next, bytes, count) : EVENT_TRUNCATED;
    if (used < 0) replay_senseless(thread, "this is no event");
    if (used > 0) {
      rthread->input.next_bytes = (uint32_t)used;
      refuse_engine(rthread);
      read_values(thread);
    } else if (!ring_await(&rthread->ring, count)) {
      rthread->input.lost = atomic_load(&rthread->ring.broken);
      if (count && config.whole) replay_senseless(thread, "it ends within an event");
      return NULL;
    }
  }
  return &rthread->input.next;
}

void replay_consume(struct thread *thread) {
  if (values_on() && value_log_is_left(thread))
    replay_diverged(thread, "expected to read values before the event %s, and did not",
                    input_event_name(thread->rthread->input.next.kind));
  ring_consume(&thread->rthread->ring, thread->rthread->input.next_bytes);
  thread->rthread->input.next_bytes = 0;
}

/* by_value_step.c: accesses to open memory where no code is emitted for them (ARCH_EMITS_OPEN): each is a step of its own, under one lock. See open_blocks.h.
 *
 * The lock makes instruction and comparison one step for all threads that use open memory, so the compared bytes are those that the instruction
 * reads. While recording, the instruction works on memory as usual. In replay it works on memory, too, but on the values that the thread has seen, put there under
 * the lock; the memory's content is not valid until it is closed.
 *
 * All bytes that an instruction touches are compared, also those that it only writes: a store may depend on the old value. */
#include "engine/order/open_blocks.h"

#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/region/endings.h"

enum { PARTS = 160 }; /* of an instruction, at most */

struct touched {
  uint64_t line;
  struct values_part part;
};

/* The parts of open memory that the instruction being stepped over accesses. Owned by the lock's holder. */
static struct {
  struct thread *_Atomic holder;
  unsigned count;
  struct touched parts[PARTS];
} step;

static struct lock lock;

/* Shared memory may have the number of an open block: it is handled elsewhere (shared.h). */
static bool is_open(struct thread *thread, uintptr_t address) {
  struct mapping mapping;
  if (!open_is_viewed(thread, (uint32_t)address / VALUES_LINE)) return false;
  return !mappings_find(address, &mapping) || !mapping.shared;
}

static unsigned split(struct thread *thread, const struct access *accesses, unsigned count,
                      struct touched *to) {
  unsigned parts = 0;
  for (unsigned i = 0; i < count; i++) {
    uintptr_t at = accesses[i].address, end = at + accesses[i].bytes;
    while (at < end) {
      uintptr_t line = ALIGN_DOWN(at, VALUES_LINE), stop = MIN(end, line + VALUES_LINE);
      if (is_open(thread, at)) {
        if (parts == PARTS)
          sphere_fail(OUTCOME_UNSUPPORTED,
                      "an instruction that touches so much memory is not supported yet with --values");
        to[parts++] = (struct touched){.line = line,
                                       .part = {.from = (uint8_t)(at - line), .count = (uint8_t)(stop - at)}};
      }
      at = stop;
    }
  }
  return parts;
}

/* False: there is no such memory, and the instruction is going to fault. */
static bool load(const struct touched *touched, uint8_t now[VALUES_LINE]) {
  uint8_t from = touched->part.from;
  return !safe_copy(now + from, (const void *)(touched->line + from), touched->part.count);
}

static void record_part(struct thread *thread, const struct touched *touched) {
  uint8_t now[VALUES_LINE];
  if (!load(touched, now)) return;
  if (!open_note_line(touched->line))
    sphere_fail(OUTCOME_UNSUPPORTED, "so much memory in common is not supported yet with --values");
  value_log_part(thread, touched->part, now, values_see(&open_of(thread)->seen, touched->line));
}

static void replay_part(struct thread *thread, const struct touched *touched) {
  uint8_t now[VALUES_LINE], from = touched->part.from;
  if (!load(touched, now)) return;
  uint8_t *seen = values_see(&open_of(thread)->seen, touched->line);
  value_log_apply(thread, touched->part, seen);
  safe_copy((void *)(touched->line + from), seen + from, touched->part.count);
}

void by_value_step_begin(struct thread *thread, uintptr_t pc) {
  struct access accesses[ARCH_ACCESSES_MAX] = {0};
  struct touched parts[PARTS];
  unsigned count = split(thread, accesses, arch_accesses(thread, pc, accesses), parts);
  if (!count) return;
  /* Replay stops before the instruction, never between its parts. */
  if (recording() && (count > 2 || value_log_is_full(thread))) value_log_stop(thread);
  lock_take(&lock);
  memcpy(step.parts, parts, count * sizeof *parts);
  step.count = count;
  step.holder = thread;
  for (unsigned i = 0; i < count; i++) (recording() ? record_part : replay_part)(thread, &step.parts[i]);
}

void by_value_step_end(struct thread *thread) {
  uint8_t now[VALUES_LINE];
  if (ARCH_EMITS_OPEN || !values_on() || step.holder != thread) return;
  for (unsigned i = 0; i < step.count; i++) {
    struct values_part part = step.parts[i].part;
    if (load(&step.parts[i], now))
      memcpy(values_see(&open_of(thread)->seen, step.parts[i].line) + part.from, now + part.from, part.count);
  }
  step.holder = NULL;
  lock_release(&lock);
}

void by_value_step_fault(struct thread *thread) {
  if (ARCH_EMITS_OPEN || !values_on() || step.holder != thread) return;
  sphere_fail(OUTCOME_UNSUPPORTED,
              "a fault in memory that is recorded by values is not supported yet with --values");
}

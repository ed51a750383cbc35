/* telling.c: tells the accesses to open memory. See telling.h. */
#include "engine/region/telling.h"

#include "engine/base/lib.h"
#include "engine/region/endings.h"
#include "engine/region/value_log.h"

static const struct values_seen nothing;
static uint32_t program; /* its number, guarded by the lock of the ring */

const struct values_seen *telling_blind(void) {
  return &nothing;
}

static struct telling *telling_of(const struct thread *thread) {
  return (struct telling *)(value_log_of(thread) + 1);
}

void telling_flush(struct thread *thread) {
  if (!tells()) return;
  struct telling *telling = telling_of(thread);
  if (!telling->used) return;
  const struct rthread *rthread = thread->rthread;
  region_take(&region->telling, NULL);
  if (!program) program = ++region->told_programs;
  struct told_batch head = {rthread->number, rthread->process, program, telling->used};
  uint8_t *to = ring_room(&region->order, sizeof head + telling->used);
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, telling->buffer, telling->used);
  ring_produced(&region->order, sizeof head + telling->used);
  region_release(&region->telling);
  telling->used = 0;
  telling->codec = (struct told_codec){0};
}

static void tell(struct thread *thread, const struct told *told) {
  struct telling *telling = telling_of(thread);
  if (telling->used + TOLD_LARGEST > TELLING_BUFFER) telling_flush(thread);
  telling->used += (uint32_t)told_put(&telling->codec, told, telling->buffer + telling->used);
}

static void tell_number(struct thread *thread, enum told_kind kind, uint64_t number, uint64_t position) {
  tell(thread, &(struct told){.kind = (uint8_t)kind, .count = 1, .address = number, .position = position});
}

/* What the records that follow need to be understood. */
static void tell_place(struct thread *thread, uint64_t position, uint32_t epoch) {
  struct telling *telling = telling_of(thread);
  uint64_t ticks = thread->rthread->ticks;
  if (!telling->began || telling->epoch != epoch) tell_number(thread, TOLD_EPOCH, epoch, position);
  if (!telling->began || telling->ticks != ticks) tell_number(thread, TOLD_TICKS, ticks, position);
  telling->began = true;
  telling->epoch = epoch;
  telling->ticks = ticks;
}

static uint64_t word_of(const uint8_t *bytes, unsigned count) {
  uint64_t word = 0;
  memcpy(&word, bytes, count);
  return word;
}

static void tell_words(struct thread *thread, enum told_kind kind, uint64_t position, uint64_t line,
                       const uint8_t *bytes) {
  for (unsigned at = 0; at < VALUES_LINE; at += TOLD_WORD)
    tell(thread, &(struct told){.kind = (uint8_t)kind,
                                .count = TOLD_WORD,
                                .address = line + at,
                                .position = position,
                                .read = word_of(bytes + at, TOLD_WORD)});
}

/* Nobody writes to memory that is open. */
static void tell_found(struct thread *thread, uint64_t line) {
  uint8_t bytes[VALUES_LINE];
  if (safe_copy(bytes, (const void *)line, sizeof bytes))
    replay_diverged(thread, "memory at 0x%lx can't be read", line);
  tell_words(thread, TOLD_FOUND, telling_of(thread)->position, line, bytes);
}

/* -- Steps ---------------------------------------------------------------------------------------------------------------- */

void telling_begin(struct thread *thread, uint64_t position) {
  struct telling *telling = telling_of(thread);
  telling->inside = true;
  telling->position = position;
  telling->count = 0;
}

bool telling_is_inside(const struct thread *thread) {
  return telling_of(thread)->inside;
}

void telling_part(struct thread *thread, enum told_kind kind, uint64_t line, struct values_part part,
                  const uint8_t *seen, uint32_t epoch, bool found) {
  struct telling *telling = telling_of(thread);
  tell_place(thread, telling->position, epoch);
  if (found) tell_found(thread, line);
  unsigned end = part.from + part.count;
  for (unsigned at = part.from, next; at < end; at = next) {
    next = MIN(end, ALIGN_DOWN(at, TOLD_WORD) + TOLD_WORD);
    CHECK(telling->count < TELLING_PIECES);
    telling->pieces[telling->count++] =
        (struct telling_piece){.told = {.kind = (uint8_t)kind,
                                        .count = (uint8_t)(next - at),
                                        .address = line + at,
                                        .position = telling->position,
                                        .read = word_of(seen + at, next - at)},
                               .seen = seen + at};
  }
}

void telling_drop(struct thread *thread) {
  struct telling *telling = telling_of(thread);
  telling->inside = false;
  telling->count = 0;
}

/* A byte that is as before may have been stored or not. */
static void expect_changed(const struct told *told) {
  for (unsigned i = 0; i < told->count; i++)
    if (told->kind == TOLD_WRITE && !((told->read ^ told->written) >> 8 * i & 0xff))
      sphere_fail(OUTCOME_UNSUPPORTED,
                  "a store of some bytes of a vector, which is not supported yet by `reprise solve'");
}

void telling_end(struct thread *thread, bool some) {
  struct telling *telling = telling_of(thread);
  telling->inside = false;
  for (unsigned i = 0; i < telling->count; i++) {
    struct telling_piece *piece = &telling->pieces[i];
    piece->told.written = word_of(piece->seen, piece->told.count);
    if (some) expect_changed(&piece->told);
    tell(thread, &piece->told);
  }
  telling->count = 0;
}

void telling_left(struct thread *thread, uint64_t position, uint32_t epoch, uint64_t line,
                  const uint8_t *bytes) {
  tell_place(thread, position, epoch);
  tell_words(thread, TOLD_LEFT, position, line, bytes);
}

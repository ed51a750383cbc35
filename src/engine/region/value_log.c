/* value_log.c: the log of values that threads read. See value_log.h. */
#include "engine/region/value_log.h"

#include "engine/base/lib.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"

struct value_log *value_log_of(const struct thread *thread) {
  return (struct value_log *)(OPEN_THREADS + slot_of(thread->rthread) * OPEN_STRIDE);
}

/* -- Recording -------------------------------------------------------------------------------------------------------------- */

bool value_log_is_full(const struct thread *thread) {
  const struct value_log *log = value_log_of(thread);
  enum { TWO = 2 * VALUES_PART_LARGEST, MOST = VALUE_LOG_AHEAD - VALUE_LOG_BUFFER };
  return log->count + TWO > VALUE_LOG_BUFFER || log->unstopped + TWO > MOST;
}

void value_log_stop(struct thread *thread, bool closes) {
  struct input_event event = {.kind = EVENT_OPEN, .open = {.what = OPEN_STOP, .closes = closes}};
  record_event(thread, &event);
  value_log_of(thread)->unstopped = 0;
}

void value_log_time(struct thread *thread) {
  struct value_log *log = value_log_of(thread);
  if (log->untimed < VALUE_LOG_TIMED && arch_position(thread) - log->timed_at < VALUE_LOG_QUIET) return;
  struct input_event event = {.kind = EVENT_OPEN, .open = {.what = OPEN_TIME, .address = arch_moments()}};
  record_event(thread, &event);
  log->untimed = 0;
  log->timed_at = arch_position(thread);
}

void value_log_part(struct thread *thread, struct values_part part, const uint8_t *now, uint8_t *seen) {
  struct value_log *log = value_log_of(thread);
  struct open_words *words = arch_open_words(thread);
  words->count++;
  if (log->count + VALUES_PART_LARGEST > VALUE_LOG_BUFFER) value_log_flush(thread);
  size_t length = now ? values_encode(words->count, part, now, seen, log->bytes + log->count) : 0;
  if (length) words->count = 0;
  log->count += (uint32_t)length;
  log->unstopped += (uint32_t)length;
  log->untimed += (uint32_t)length;
  if (log->untimed >= VALUE_LOG_TIMED) arch_request(thread);
}

void value_log_flush(struct thread *thread) {
  struct value_log *log = value_log_of(thread);
  if (!log->count) return;
  record_values(thread, log->bytes, log->count);
  log->count = 0;
}

/* -- Replay ------------------------------------------------------------------------------------------------------------------- */

/* Counts what emitted code has counted. */
static void settle(struct value_log *log, struct open_words *words) {
  log->since += log->granted - words->count;
  log->granted = words->count = 0;
}

/* Emitted code may count all parts before that of the next run. */
static void grant(struct value_log *log, struct open_words *words) {
  const uint64_t any = 1UL << 48;
  log->granted = words->count = log->is_known ? log->next.since - log->since - 1 : any;
}

static void find_next(struct thread *thread, struct value_log *log) {
  int used = values_decode(log->bytes + log->at, log->count - log->at, &log->next);
  if (used < 0) replay_senseless(thread, "these are no values");
  log->at += (uint32_t)used;
  log->is_known = used;
}

static void expect_ahead(struct thread *thread, const struct value_log *log) {
  if (log->is_known && log->next.since <= log->since)
    replay_senseless(thread, "these are values of memory that was read before");
}

/* What is decoded already, the next run, lies before `at`, and is not moved. */
void value_log_read(struct thread *thread, const uint8_t *bytes, size_t count) {
  struct value_log *log = value_log_of(thread);
  struct open_words *words = arch_open_words(thread);
  if (!log->is_known) log->at = log->count = 0;
  if (count > VALUE_LOG_AHEAD - log->count) replay_senseless(thread, "these are too many values");
  memcpy(log->bytes + log->count, bytes, count);
  log->count += (uint32_t)count;
  if (log->is_known) return;
  settle(log, words);
  find_next(thread, log);
  expect_ahead(thread, log);
  grant(log, words);
}

bool value_log_is_left(const struct thread *thread) {
  return value_log_of(thread)->is_known;
}

void value_log_apply(struct thread *thread, struct values_part part, uint8_t *seen) {
  struct value_log *log = value_log_of(thread);
  struct open_words *words = arch_open_words(thread);
  settle(log, words);
  log->since++;
  bool due = log->is_known && log->next.since == log->since;
  if (due) log->since = log->next.since = 0;
  while (due && log->is_known && !log->next.since) {
    const struct values_run *run = &log->next;
    if (run->offset < part.from || run->offset + run->count > (unsigned)part.from + part.count)
      replay_diverged(thread, "expected values of memory that this instruction does not touch");
    memcpy(seen + run->offset, run->bytes, run->count);
    find_next(thread, log);
  }
  expect_ahead(thread, log);
  grant(log, words);
}

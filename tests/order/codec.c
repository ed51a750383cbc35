/* codec.c: the encoding of the order logs.
 *
 *     codec [-n COUNT] [SEED]
 *
 * What a recorder was told comes back from its log as the waits and signals it stands for; a log cut anywhere is noticed as cut; bytes
 * that no recorder writes are refused or decoded to something within bounds, never read past their end. Who is killed while it logs
 * leaves what can be brought to an end, with every record once. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/order.h"
#include "order/wrong.h"
#include "expect.h"

enum { ROOM = 1 << 16 };

static uint8_t log_bytes[ROOM];
static size_t log_count;

static enum { LIVES, KILLED_BEFORE, KILLED_BEHIND } fate;
static unsigned until_killed; /* records until then */
static jmp_buf killed;

static void append(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count) {
  (void)order, (void)slot;
  bool last = fate != LIVES && !until_killed--;
  if (last && fate == KILLED_BEFORE) longjmp(killed, 1);
  if (log_count + count > ROOM) abort();
  memcpy(log_bytes + log_count, bytes, count);
  log_count += count;
  if (last) longjmp(killed, 1);
}

static struct order_recorder recorder;
static struct order order = {.log = append};
static struct order_reader reader;
static struct order_step step;
static size_t at;

static void start(const struct order_scheme *scheme, unsigned slot) {
  order.scheme = scheme;
  log_count = at = 0;
  reader = (struct order_reader){.scheme = scheme};
  order_recorder_init(&recorder, slot);
  scheme->begin(&order, &recorder, 0, NULL);
}

static void hear(unsigned from, uint64_t clock) {
  order.scheme->receive(&order, &recorder, from, &(struct order_note){.clock = clock, .kind = ORDER_EDGE});
}

static uint64_t answer(unsigned to) {
  struct order_note note;
  order.scheme->reply(&order, &recorder, &(struct order_ask){.from = (uint16_t)to, .want = ORDER_WRITE},
                      &note);
  return note.clock;
}

/* The next step of the log; false at its end. */
static bool read_step(void) {
  if (at == log_count) return false;
  int n = order_decode(&reader, &step, log_bytes + at, log_count - at);
  EXPECT(n > 0);
  if (n <= 0) return false;
  at += (size_t)n;
  return true;
}

static bool waits_for(unsigned i, unsigned kind, unsigned slot, uint64_t value) {
  return step.waits > i && step.wait[i].kind == kind && step.wait[i].slot == slot &&
         step.wait[i].value == value;
}

/* -- What comes back ------------------------------------------------------------------------------------------------------ */

static void try_tokens(void) {
  start(&order_tokens, 511);
  hear(3, 1), hear(500, 2), hear(3, 9); /* a counted set */
  order.scheme->receive(&order, &recorder, 7,
                        &(struct order_note){.clock = 4, .ends = 300, .kind = ORDER_END});
  recorder.position = 1000;
  answer(0), answer(510), answer(0);
  hear(9, 1000); /* a cycle, if the episode did not end */
  recorder.position = 1UL << 40;
  order.scheme->exit(&order, &recorder);
  EXPECT(read_step() && step.begins && step.slot == 511 && !step.waits);
  EXPECT(read_step() && step.from == 0 && step.until == 1000 && step.waits == 3 && step.signals == 2);
  EXPECT(waits_for(0, ORDER_WAIT_ENDS, 7, 300) && waits_for(1, ORDER_WAIT_TOKENS, 3, 2));
  EXPECT(waits_for(2, ORDER_WAIT_TOKENS, 500, 1) && step.signal[0] == 0 && step.signal[1] == 510);
  EXPECT(read_step() && step.from == 1000 && step.until == 1UL << 40 &&
         waits_for(0, ORDER_WAIT_TOKENS, 9, 1));
  EXPECT(!read_step());
}

static void try_dag(void) {
  start(&order_dag, 2);
  hear(3, 70), hear(1, 5), hear(3, 80), hear(3, 60);
  recorder.position = 10;
  EXPECT(answer(1) == 81);
  EXPECT(answer(4) == 81);
  hear(4, 81);
  recorder.position = 12;
  EXPECT(answer(4) == 82);
  order.scheme->exit(&order, &recorder);
  EXPECT(read_step() && step.begins && step.slot == 2);
  EXPECT(read_step() && step.until == 10 && step.clock == 81 && step.waits == 2);
  EXPECT(waits_for(0, ORDER_WAIT_CLOCK, 1, 5) && waits_for(1, ORDER_WAIT_CLOCK, 3, 80));
  EXPECT(read_step() && step.from == 10 && step.until == 12 && step.clock == 82 &&
         waits_for(0, ORDER_WAIT_CLOCK, 4, 81));
  EXPECT(!read_step());
}

static void try_scalar(void) {
  start(&order_scalar, 0);
  EXPECT(answer(1) == 0); /* nothing was executed yet */
  recorder.position = 5;
  EXPECT(answer(1) == 1);
  hear(1, 1000);
  recorder.position = 6;
  EXPECT(answer(1) == 1001);
  EXPECT(read_step() && step.begins);
  EXPECT(read_step() && step.until == 5 && step.clock == 1 && waits_for(0, ORDER_WAIT_ALL, ORDER_NOBODY, 0));
  EXPECT(read_step() && step.until == 6 && step.clock == 1001 &&
         waits_for(0, ORDER_WAIT_ALL, ORDER_NOBODY, 1000));
  EXPECT(!read_step());
}

static void try_arcs(void) {
  start(&order_arcs, 1);
  recorder.position = 10;
  EXPECT(answer(0) == 10);
  hear(7, 100);
  EXPECT(answer(0) == 11);   /* behind the arc */
  hear(7, 100), hear(7, 99); /* implied */
  recorder.position = 20;
  hear(7, 130), hear(511, 1);
  EXPECT(answer(0) == 23);
  EXPECT(read_step() && step.begins && step.slot == 1);
  EXPECT(read_step() && step.from == 10 && step.clock == 11 && waits_for(0, ORDER_WAIT_CLOCK, 7, 100));
  EXPECT(read_step() && step.from == 20 && step.clock == 22 && waits_for(0, ORDER_WAIT_CLOCK, 7, 130));
  EXPECT(read_step() && step.from == 20 && step.clock == 23 && waits_for(0, ORDER_WAIT_CLOCK, 511, 1));
  EXPECT(!read_step());
}

/* -- At random ------------------------------------------------------------------------------------------------------------ */

static const struct order_scheme *const schemes[] = {&order_tokens, &order_dag, &order_scalar, &order_arcs};

static void record_anything(const struct order_scheme *scheme) {
  start(scheme, (unsigned)(next() % ORDER_SLOTS));
  for (unsigned i = 0; i < 60; i++) {
    recorder.position += next() % 3 ? next() % 4 : next() >> (20 + next() % 44);
    unsigned other = (unsigned)(next() % (next() % 2 ? 4 : ORDER_SLOTS));
    if (other == recorder.slot) other = (other + 1) % ORDER_SLOTS; /* nobody asks itself */
    if (next() % 2)
      answer(other);
    else
      order.scheme->receive(
          &order, &recorder, other,
          &(struct order_note){.clock = recorder.now.clock + next() % 50,
                               .ends = (uint32_t)(1 + next() % 1000),
                               .kind = scheme == &order_tokens && !(next() % 4) ? ORDER_END : ORDER_EDGE});
  }
  scheme->exit(&order, &recorder);
}

/* Steps follow each other, and end where the log does. */
static void check_whole(void) {
  uint64_t position = 0;
  while (read_step()) {
    if (step.begins) continue;
    EXPECT(step.from >= position && step.until >= step.from);
    position = step.until;
  }
  EXPECT(at == log_count && position <= recorder.position);
}

/* Killed at any record, it is brought to an end by another: one log, of what was executed, and one end. */
static void check_killed(const struct order_scheme *scheme) {
  fate = next() % 2 ? KILLED_BEFORE : KILLED_BEHIND;
  until_killed = (unsigned)(next() % 40);
  if (!setjmp(killed)) record_anything(scheme);
  bool logged = fate == KILLED_BEHIND;
  fate = LIVES;
  order_recover(scheme, &recorder, logged);
  if (order_is_alive(&recorder)) scheme->exit(&order, &recorder);
  check_whole();
  EXPECT(!log_count || reader.position == recorder.position);
  EXPECT(order_ends(&recorder) == (log_count != 0));
  if (scheme == &order_arcs) EXPECT(reader.clock == order_clock(&recorder));
}

/* With fewer bytes than a step has, none is taken for one. */
static void check_cut(void) {
  reader = (struct order_reader){.scheme = order.scheme};
  for (at = 0; at < log_count;) {
    struct order_reader before = reader;
    int n = order_decode(&reader, &step, log_bytes + at, log_count - at);
    if (n <= 0) break;
    for (int cut = 0; cut < n; cut++) {
      uint8_t *exact = malloc((size_t)cut + 1);
      struct order_reader again = before;
      memcpy(exact, log_bytes + at, (size_t)cut);
      EXPECT(order_decode(&again, &step, exact, (size_t)cut) == 0);
      free(exact);
    }
    at += (size_t)n;
  }
}

static void check_damaged(void) {
  for (unsigned i = 0; i < 3 && log_count; i++) log_bytes[next() % log_count] ^= (uint8_t)(1U << next() % 8);
  if (next() % 4 == 0)
    for (size_t i = 0; i < log_count; i++) log_bytes[i] = (uint8_t)next();
  reader = (struct order_reader){.scheme = order.scheme};
  for (at = 0; at < log_count;) {
    int n = order_decode(&reader, &step, log_bytes + at, log_count - at);
    if (n <= 0) break;
    at += (size_t)n;
    EXPECT(at <= log_count && step.waits <= 2 * ORDER_PREDS && step.signals <= ORDER_SLOTS &&
           step.until >= step.from);
    for (unsigned i = 0; i < step.waits; i++)
      EXPECT(step.wait[i].slot < ORDER_SLOTS || step.wait[i].kind == ORDER_WAIT_ALL);
    for (unsigned i = 0; i < step.signals; i++) EXPECT(step.signal[i] < ORDER_SLOTS);
  }
}

int main(int argc, char **argv) {
  unsigned long count = 5000;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--soak"))
      count = 500000;
    else if (!strcmp(argv[i], "-n") && i + 1 < argc)
      count = strtoul(argv[++i], NULL, 10);
    else
      random_state = strtoul(argv[i], NULL, 10);
  }
  try_tokens();
  try_dag();
  try_scalar();
  try_arcs();
  for (unsigned long n = 0; n < count && !failed; n++) {
    record_anything(schemes[n % 4]);
    check_whole();
    if (n % 16 < 4) check_cut();
    check_damaged();
    check_killed(schemes[n % 4]);
  }
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}

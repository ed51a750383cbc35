/* threads.c: the hand-over protocol between real threads.
 *
 *     threads [--soak]
 *
 * explore.c steps through it one thread at a time; here four run at once, on the machine's own memory order. They count in blocks with plain
 * additions: a permission that two have, or a hand-over that does not carry what was written, loses some. Who waits sleeps
 * until its events change: a wake-up that is lost hangs. */
/* cflags: -DORDER_SLOTS=4 -DDIRECTORY_BATCH=2 -DDIRECTORY_INLINE=2 -pthread */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/directory.h"

enum { THREADS = 4, BLOCKS = 3 };

static unsigned long rounds = 5000;
static struct directory_slot slots[ORDER_SLOTS];
static _Atomic uint32_t slot_count = THREADS;
static _Atomic uint64_t words[BLOCKS];
static uint64_t infos[BLOCKS];
static uint8_t permissions[ORDER_SLOTS][BLOCKS];
static volatile unsigned long counters[BLOCKS][8]; /* a block's contents: all equal */
static unsigned long added[THREADS][BLOCKS];
static _Atomic unsigned torn;

static struct directory_place place(const struct directory *d, uint64_t block) {
  (void)d;
  return (struct directory_place){&words[block], &infos[block]};
}
static unsigned holds(const struct directory *d, unsigned slot, uint64_t block) {
  (void)d;
  return permissions[slot][block];
}
static void permit(const struct directory *d, unsigned slot, uint64_t block, unsigned permission) {
  (void)d;
  permissions[slot][block] = (uint8_t)permission;
}
static void wake(const struct directory *d, unsigned slot) {
  (void)d, (void)slot;
}
static void discard(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count) {
  (void)order, (void)slot, (void)bytes, (void)count;
}

static struct order order = {.log = discard};
static const struct directory directory = {.order = &order,
                                           .slot = slots,
                                           .slots = &slot_count,
                                           .place = place,
                                           .holds = holds,
                                           .permit = permit,
                                           .wake = wake,
                                           .kick = wake};

static void sleep_while(unsigned me, uint32_t seen) {
  while (atomic_load(&slots[me].events) == seen) sched_yield();
}

static void claim(unsigned me, unsigned first, unsigned count, enum order_want want) {
  struct directory_claim claim;
  enum directory_result result;
  directory_claim_start(&claim);
  directory_claim_add(&claim, first, first + count, want);
  while ((result = directory_claim_step(&directory, me, &claim)) != DIRECTORY_DONE)
    if (result == DIRECTORY_WAITS) sleep_while(me, claim.seen);
}

/* Others have their turn in the middle of it: what they must not do then, they have the time to do. */
static void use(unsigned me, unsigned block, enum order_want want) {
  unsigned long value = counters[block][0];
  if (value % 16 == 0) sched_yield();
  for (unsigned i = 0; i < 8; i++)
    if (counters[block][i] != value) atomic_fetch_add(&torn, 1);
  if (want != ORDER_WRITE) return;
  for (unsigned i = 0; i < 8; i++) counters[block][i] = value + 1;
  added[me][block]++;
}

static void park(unsigned me, bool for_ever) {
  struct directory_parking parking = {0};
  if (for_ever) {
    while (directory_exit_step(&directory, me, &parking) != DIRECTORY_DONE) continue;
    return;
  }
  while (directory_park_step(&directory, me, &parking) != DIRECTORY_DONE) continue;
  sched_yield();
  parking = (struct directory_parking){0};
  for (enum directory_result result;
       (result = directory_unpark_step(&directory, me, &parking)) != DIRECTORY_DONE;)
    if (result == DIRECTORY_WAITS) sleep_while(me, parking.seen);
}

static void *run(void *argument) {
  unsigned me = (unsigned)(uintptr_t)argument;
  unsigned seed = me + 1;
  struct directory_parking parking = {0};
  while (directory_begin_step(&directory, me, &parking, 0, NULL) != DIRECTORY_DONE) continue;
  for (unsigned long n = 0; n < rounds; n++) {
    unsigned draw = (unsigned)rand_r(&seed), first = draw % BLOCKS,
             count = draw >> 8 & 7 || first + 2 > BLOCKS ? 1 : 2;
    enum order_want want = draw >> 12 & 3 ? ORDER_READ : ORDER_WRITE;
    claim(me, first, count, want);
    for (unsigned i = 0; i < count; i++) use(me, first + i, want);
    slots[me].recorder.position++;
    directory_unpin(&directory, me);
    struct directory_serve serve = {0};
    while (directory_serve_step(&directory, me, &serve) != DIRECTORY_DONE) continue;
    if (!(draw >> 16 & 15)) park(me, false);
  }
  park(me, true);
  return NULL;
}

static bool try_scheme(const struct order_scheme *scheme) {
  pthread_t threads[THREADS];
  order.scheme = scheme;
  memset(slots, 0, sizeof slots);
  memset(infos, 0, sizeof infos);
  memset(permissions, 0, sizeof permissions);
  memset(added, 0, sizeof added);
  torn = 0;
  for (unsigned b = 0; b < BLOCKS; b++) {
    words[b] = 0;
    for (unsigned i = 0; i < 8; i++) counters[b][i] = 0;
  }
  for (unsigned t = 0; t < THREADS; t++) order_recorder_init(&slots[t].recorder, t);
  for (unsigned t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], NULL, run, (void *)(uintptr_t)t)) abort();
  for (unsigned t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  bool good = !torn;
  for (unsigned b = 0; b < BLOCKS; b++) {
    unsigned long sum = 0;
    for (unsigned t = 0; t < THREADS; t++) sum += added[t][b];
    good = good && counters[b][0] == sum;
  }
  if (!good) printf("%s: writes were lost or torn\n", scheme->name);
  return good;
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--soak")) rounds *= 1000;
  unsigned failed = !try_scheme(&order_dag) + !try_scheme(&order_named);
  printf("%u passed, %u failed\n", 2 - failed, failed);
  return failed != 0;
}

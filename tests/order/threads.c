/* threads.c: the hand-over protocol between real threads.
 *
 *     threads [--soak]
 *
 * explore.c steps through it one thread at a time; here four run at once, on the machine's own memory order. They count in blocks with plain
 * additions: a permission that two have, or a hand-over that does not carry what was written, loses some. Who waits sleeps
 * until its events change: a wake-up that is lost hangs. */
/* cflags: -DORDER_SLOTS=4 -DDIRECTORY_BATCH=2 -DDIRECTORY_INLINE=2 -DDIRECTORY_GROUP=4 -pthread */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/directory_steps.h"

enum { THREADS = 4, BLOCKS = 6, GROUPS = 2 };

static unsigned long rounds = 5000;
static struct directory_slot slots[ORDER_SLOTS];
static _Atomic uint32_t slot_count = THREADS;
static struct directory_group groups[GROUPS];
static uint64_t words[GROUPS * DIRECTORY_GROUP], infos[GROUPS * DIRECTORY_GROUP];
static uint8_t permissions[ORDER_SLOTS][GROUPS * DIRECTORY_GROUP];
static volatile unsigned long counters[BLOCKS][8]; /* a block's contents: all equal */
static unsigned long added[THREADS][BLOCKS];
static _Atomic unsigned torn;

static struct directory_group *group(const struct directory *d, uint64_t number) {
  (void)d;
  return &groups[number];
}
static struct directory_place place(const struct directory *d, uint64_t block) {
  (void)d;
  return (struct directory_place){&words[block], &infos[block]};
}
static uint64_t held(const struct directory *d, unsigned slot, uint64_t number, uint64_t blocks,
                     unsigned want) {
  (void)d;
  for (uint64_t set = blocks; set; set &= set - 1)
    if (permissions[slot][group_first(number, set)] < want) blocks &= ~(set & -set);
  return blocks;
}
static void permit(const struct directory *d, unsigned slot, uint64_t number, uint64_t blocks,
                   unsigned permission) {
  (void)d;
  for (; blocks; blocks &= blocks - 1) permissions[slot][group_first(number, blocks)] = (uint8_t)permission;
}
/* All, or some, or none. */
static uint64_t along(const struct directory *d, unsigned slot, uint64_t number, uint64_t need,
                      unsigned want) {
  (void)d, (void)number, (void)want;
  static _Atomic unsigned turns[THREADS];
  unsigned turn = turns[slot]++ % 8;
  return turn < 4 ? UINT64_MAX : turn < 6 ? need << 1 : 0;
}
/* The other group, now and then, or the next block. */
static unsigned further(const struct directory *d, unsigned slot, uint64_t number, unsigned known,
                        struct directory_walk *walk) {
  (void)d, (void)known;
  static _Atomic unsigned turns[THREADS];
  unsigned turn = turns[slot]++;
  *walk = (struct directory_walk){.width = turn / 3 % 2 ? 1 : DIRECTORY_GROUP};
  walk->stride = number ? -walk->width : walk->width;
  return turn % 3 == 0;
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
                                           .group = group,
                                           .place = place,
                                           .held = held,
                                           .permit = permit,
                                           .along = along,
                                           .further = further,
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

/* Some blocks, or what it has of them. */
static void leave(unsigned me, unsigned draw) {
  struct directory_leaving leaving = {.part = {draw % GROUPS, (draw >> 4 & GROUP_ALL) | 1}};
  while (directory_leave_step(&directory, me, &leaving) != DIRECTORY_DONE) continue;
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
    if (draw >> 20 & 1) directory_take_untouched(&directory, me, first / DIRECTORY_GROUP);
    claim(me, first, count, want);
    for (unsigned i = 0; i < count; i++) use(me, first + i, want);
    slots[me].recorder.position++;
    directory_unpin(&directory, me);
    struct directory_serve serve = {0};
    while (directory_serve_step(&directory, me, &serve) != DIRECTORY_DONE) continue;
    if (draw >> 21 & 1) leave(me, draw >> 22);
    if (!(draw >> 16 & 15)) park(me, false);
  }
  park(me, true);
  return NULL;
}

static bool try_scheme(const struct order_scheme *scheme) {
  pthread_t threads[THREADS];
  order.scheme = scheme;
  memset(slots, 0, sizeof slots);
  memset(groups, 0, sizeof groups);
  memset(words, 0, sizeof words);
  memset(infos, 0, sizeof infos);
  memset(permissions, 0, sizeof permissions);
  memset(added, 0, sizeof added);
  torn = 0;
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned i = 0; i < 8; i++) counters[b][i] = 0;
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
  unsigned failed = !try_scheme(&order_tokens) + !try_scheme(&order_dag);
  printf("%u passed, %u failed\n", 2 - failed, failed);
  return failed != 0;
}

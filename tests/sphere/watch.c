/* watch.c: when the watchdog of a sphere fires, and above all when it does not (sphere/watchdog.h). The region is one of our own, in which
 * we do what threads do. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "contract/engine.h"
#include "sphere/watchdog.h"

static struct region *region;
static struct watch watch;
static char states[8]; /* what /proc says of each thread, by its id */
static int passed, failed;

static char state(int32_t pid, int32_t tid) {
  (void)pid;
  return states[tid - 1];
}

/* Threads 0 to count - 1, of one process, asleep in the kernel. */
static void begin(uint32_t count, bool is_replay, bool parallel) {
  region =
      mmap(NULL, sizeof *region, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) exit(1);
  watch = (struct watch){.is_replay = is_replay};
  region->slots_used = region->live = region->threads = count;
  region->directory_slots = parallel ? count : 0;
  for (uint32_t i = 0; i < count; i++) {
    region->slots[i].state = SLOT_LIVE;
    region->slots[i].number = i;
    region->slots[i].pid = 1;
    region->slots[i].tid = (int32_t)i + 1;
    region->directory[i].state = DIRECTORY_RUNNING;
    states[i] = 'S';
  }
}

static void looks_at(uint32_t i, const void *word) {
  region->slots[i].watch.word = REGION_BASE + (uint64_t)((const char *)word - (const char *)region);
  region->slots[i].watch.looks++;
}

/* Ten times as many looks as would do. */
enum { LOOKS = 10 * WATCH_ROUNDS };

static void check(const char *what, bool expected, void (*moment)(unsigned n)) {
  bool fires = false;
  unsigned n = 0;
  for (; n < LOOKS && !fires; n++) {
    moment(n);
    fires = watch_look(&watch, region, state);
  }
  bool good = fires == expected && (!fires || n > WATCH_ROUNDS);
  passed += good;
  failed += !good;
  if (!good) printf("%s: %s after %u looks\n", what, fires ? "fires" : "does not fire", n);
  munmap(region, sizeof *region);
}

static void nobody_looks(unsigned n) {
  (void)n;
}

static void both_want_lock(unsigned n) {
  (void)n;
  looks_at(0, &region->lock);
  looks_at(1, &region->lock);
}

static void one_wants_lock(unsigned n) {
  (void)n;
  looks_at(0, &region->lock);
}

static void lock_passes(unsigned n) {
  both_want_lock(n);
  if (n % WATCH_ROUNDS == 0) region->slots[n / WATCH_ROUNDS % 2].watch.moves++;
}

static void position_moves(unsigned n) {
  both_want_lock(n);
  if (n % WATCH_ROUNDS == 0) region->slots[1].ring.position++;
}

static void one_looks_no_more(unsigned n) {
  looks_at(0, &region->lock);
  if (n < WATCH_ROUNDS - 1) looks_at(1, &region->lock);
}

static void one_looks_seldom(unsigned n) {
  looks_at(0, &region->lock);
  if (n % 5 == 0) looks_at(1, &region->lock);
}

static void one_wants_baton(unsigned n) {
  (void)n;
  looks_at(0, &region->slots[0].turn);
}

static void one_wants_output(unsigned n) {
  (void)n;
  looks_at(0, &region->output.holder);
}

static void one_wants_memory(unsigned n) {
  (void)n;
  looks_at(0, &region->directory[0].events);
}

static void one_wants_something(unsigned n) {
  (void)n;
  region->slots[0].watch.word = 1;
  region->slots[0].watch.looks++;
}

static void check_waits(void) {
  begin(2, false, false);
  region->lock = 99;
  check("both wait", true, both_want_lock);
  begin(2, true, false);
  region->lock = 99;
  check("both wait in a replay", true, both_want_lock);
  begin(2, false, false);
  region->lock = 99;
  check("one seldom has a processor", true, one_looks_seldom);
  begin(2, false, false);
  check("the lock changes hands", false, lock_passes);
  begin(2, false, false);
  check("a position changes", false, position_moves);
  begin(2, false, false);
  states[1] = 'R';
  check("one goes on just in time", false, one_looks_no_more);
}

static void check_idle(void) {
  begin(2, false, false);
  check("all sleep in calls", false, nobody_looks);
  begin(2, true, false);
  region->lock = 99;
  check("a replay has no calls", false, one_wants_lock);
  begin(2, false, false);
  region->lock = 99;
  check("an idle one is no excuse", true, one_wants_lock);
  begin(2, false, false);
  region->lock = 2;
  check("an idle one has the lock", false, one_wants_lock);
  begin(2, false, false);
  region->holder = 2;
  check("one blocks with the baton", false, one_wants_baton);
  begin(2, false, true);
  check("one blocks, but is not parked", false, one_wants_memory);
  begin(2, false, true);
  region->directory[1].state = DIRECTORY_PARKED;
  check("one is parked, and its memory is wanted", true, one_wants_memory);
  begin(2, false, true);
  region->directory[1].state = DIRECTORY_PARKED;
  region->output.holder = 2;
  check("one writes to a pipe that is full", false, one_wants_output);
  begin(2, false, true);
  region->directory[1].state = DIRECTORY_PARKED;
  check("an idle one may have what is wanted", false, one_wants_something);
}

static void check_others(void) {
  begin(2, false, false);
  region->lock = 99;
  states[1] = 'T';
  check("one is stopped", false, one_wants_lock);
  begin(2, false, false);
  region->lock = 99;
  states[1] = 't';
  check("one is traced", false, one_wants_lock);
  begin(2, false, false);
  region->lock = 99;
  states[1] = 'D';
  check("one waits for a disk", false, one_wants_lock);
  begin(2, false, false);
  region->lock = 99;
  states[1] = 'R';
  check("one runs", false, one_wants_lock);
  begin(2, true, false);
  region->lock = 99;
  states[1] = 'Z';
  check("one is dead", true, one_wants_lock);
  begin(2, true, false);
  region->lock = 99;
  region->slots[1].tid = 0;
  check("one is just being born", false, one_wants_lock);
  begin(2, true, false);
  region->lock = 99;
  states[1] = 'D';
  region->slots[1].vforks = 1;
  region->slots[1].born.number = 0;
  check("one is held for its child", true, one_wants_lock);
  begin(2, true, false);
  region->lock = 99;
  states[1] = 'D';
  region->slots[1].vforks = 1;
  region->slots[1].born.number = 7;
  check("one was held for a child that is gone", false, one_wants_lock);
}

int main(void) {
  check_waits();
  check_idle();
  check_others();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

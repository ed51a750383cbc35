/* Processes race on anonymous memory that they share: lost updates, atomics, accesses that straddle blocks and pages, copies. */
#include <string.h>

#include "race_processes.h"

enum { BYTES = 3 * 4096 };

static struct {
  volatile uint32_t counters[4];
  uint32_t sum;
  char bytes[BYTES];
} * shared;

static void run(unsigned me) {
  char copy[300];
  for (unsigned i = 0; i < race_rounds; i++) {
    shared->counters[(i + me) % 4]++;
    race_note(me, __atomic_fetch_add(&shared->sum, me + 1, __ATOMIC_SEQ_CST));
    volatile uint64_t *across = (void *)(shared->bytes + 60 + i % 128 * 64);
    *across += me + 1;
    race_note(me, (uint32_t)*across);
    if (i % 16) continue;
    memcpy(copy, shared->bytes + (i * 37) % 8000, sizeof copy);
    memmove(shared->bytes + (i * 53 + me) % 8000, copy, sizeof copy);
    for (unsigned k = 0; k < sizeof copy; k += 50) race_note(me, (uint8_t)copy[k]);
  }
}

static uint32_t more(void) {
  uint32_t mixed = shared->sum;
  for (unsigned i = 0; i < 4; i++) mixed = race_mix(mixed, shared->counters[i]);
  for (unsigned i = 0; i < BYTES; i++) mixed = race_mix(mixed, (uint8_t)shared->bytes[i]);
  return mixed;
}

int main(int argc, char **argv) {
  shared = race_share(sizeof *shared);
  return race_fork(argc, argv, 500, run, more);
}

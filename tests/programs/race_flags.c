/* Volatile flags passed round a ring: each thread waits until its neighbour is as far as itself, and counts how long. */
#include "race.h"

static volatile uint32_t flags[RACE_THREADS];

static void run(unsigned me) {
  unsigned before = (me + race_threads - 1) % race_threads;
  for (unsigned i = 1; i <= race_rounds; i++) {
    uint32_t waited = 0;
    flags[me] = i;
    while (flags[before] < i)
      if (++waited % 64 == 0) sched_yield();
    race_note(me, race_mix(waited, flags[before]));
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 2000, run, NULL);
}

/* Dekker's algorithm between neighbours, without fences: how often who waits, and what is lost when both are in. */
#include "race.h"

static volatile uint32_t wants[RACE_THREADS], turn[RACE_THREADS], inside[RACE_THREADS];

/* Pairs (0, 1), (2, 3) …; a thread without a partner runs alone. */
static void enter(unsigned me, unsigned other) {
  unsigned pair = me / 2, waits = 0;
  wants[me] = 1;
  while (wants[other]) {
    if (turn[pair] == me) continue;
    wants[me] = 0;
    while (turn[pair] != me && wants[other]) {
      if (++waits % 64 == 0) sched_yield();
    }
    wants[me] = 1;
  }
  race_note(me, waits);
}

static void run(unsigned me) {
  unsigned other = me ^ 1;
  for (unsigned i = 0; i < race_rounds; i++) {
    enter(me, other);
    inside[me / 2]++;
    turn[me / 2] = other;
    wants[me] = 0;
    race_note(me, inside[me / 2]);
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 3000, run, NULL);
}

/* Peterson's lock between neighbours, without fences. */
#include "race.h"

static volatile uint32_t wants[RACE_THREADS], last[RACE_THREADS], inside[RACE_THREADS];

static void run(unsigned me) {
  unsigned other = me ^ 1, pair = me / 2;
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t waits = 0;
    wants[me] = 1;
    last[pair] = me;
    while (wants[other] && last[pair] == me)
      if (++waits % 64 == 0) sched_yield();
    inside[pair]++;
    race_note(me, race_mix(inside[pair], waits));
    wants[me] = 0;
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 3000, run, NULL);
}

/* Spin locks on plain variables: an exchange takes, a plain store gives back. */
#include "race.h"

static volatile uint32_t locks[4], guarded[4];

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    unsigned which = race_mix(i, me) % 4;
    uint32_t spins = 0;
    while (__sync_lock_test_and_set(&locks[which], 1))
      while (locks[which])
        if (++spins % 64 == 0) sched_yield();
    guarded[which] = race_mix(guarded[which], me);
    race_note(me, race_mix(guarded[which], spins));
    __asm__ volatile("" ::: "memory");
    locks[which] = 0;
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 3000, run, NULL);
}

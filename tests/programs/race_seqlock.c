/* A seqlock: one writes, the others read what they hope is whole. */
#include <stdatomic.h>

#include "race.h"

static _Atomic uint32_t sequence;
static volatile uint32_t data[8];

static void write_all(uint32_t value) {
  atomic_fetch_add(&sequence, 1);
  for (unsigned i = 0; i < 8; i++) data[i] = value + i;
  atomic_fetch_add(&sequence, 1);
}

static uint32_t read_all(uint32_t *failed) {
  for (;;) {
    uint32_t before = atomic_load(&sequence), sum = 0;
    for (unsigned i = 0; i < 8; i++) sum = race_mix(sum, data[i]);
    if (before % 2 == 0 && atomic_load(&sequence) == before) return sum;
    if (++*failed % 64 == 0) sched_yield();
  }
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t failed = 0;
    if (me == 0)
      write_all(i);
    else
      race_note(me, race_mix(read_all(&failed), failed));
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 3000, run, NULL);
}

/* Unsynchronised counters: updates get lost, and the same ones must be lost in replay. */
#include "race.h"

static volatile uint32_t counters[4];

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) counters[(i + me) % 4]++;
}

static uint32_t more(void) {
  return race_mix(race_mix(counters[0], counters[1]), race_mix(counters[2], counters[3]));
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 20000, run, more);
}

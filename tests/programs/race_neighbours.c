/* Threads side by side: each walks over strips of one array that border on those of others, in steps that share a line with them, and looks
 * over the border. What a walk needs next is the neighbour's, again and again. */
#include "race.h"

enum { STRIP = 52, STRIPS = 64 }; /* words: three lines and a bit */

static volatile uint32_t field[STRIP * STRIPS + 1];

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    unsigned strip = (me + i % 4 * race_threads) % STRIPS;
    volatile uint32_t *from = field + (size_t)STRIP * strip;
    uint32_t sum = 0;
    for (unsigned k = 0; k < STRIP; k++) {
      sum = sum * 31 + from[k];
      from[k] = sum ^ i;
    }
    race_note(me, sum + from[STRIP]);
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 1500, run, NULL);
}

/* Races inside memcpy, memset and a string instruction: areas are copied while others change them. */
#include <string.h>

#include "race.h"

enum { AREA = 3000, PIECES = 3 };
static uint8_t areas[PIECES][AREA];

static uint32_t sum_of(const uint8_t *bytes) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < AREA; i += 37) sum = race_mix(sum, bytes[i]);
  return sum;
}

static void run(unsigned me) {
  uint8_t own[AREA];
  for (unsigned i = 0; i < race_rounds; i++) {
    unsigned from = race_mix(i, me) % PIECES, to = (from + 1 + i % 2) % PIECES;
    size_t bytes = AREA - i % 100;
    memset(own, (int)(me + i), sizeof own);
    memcpy(areas[from] + i % 50, own, bytes / 2);
    memmove(areas[to], areas[from], bytes);
    memcpy(own, areas[to], bytes);
    race_note(me, sum_of(own));
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 200, run, NULL);
}

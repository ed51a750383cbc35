/* A picture in tiles, each a few blocks wide and some rows high: threads take them in any order, two the same one at times, and mix what
   they find in each row with what is beside it. */
#include <stdbool.h>

#include "race.h"

enum { ROW = 40 * 64 / 4, ROWS = 96, TILE = 32, HIGH = 24 };

static volatile uint32_t picture[ROWS][ROW] __attribute__((aligned(4096)));
static volatile uint32_t next_tile;

static void paint(unsigned me, uint32_t tile) {
  unsigned x = tile % (ROW / TILE) * TILE, y = tile / (ROW / TILE) % (ROWS / HIGH) * HIGH;
  bool upwards = tile % 3 == 0;
  uint32_t mixed = tile;
  for (unsigned i = 0; i < HIGH; i++) {
    volatile uint32_t *row = &picture[upwards ? y + HIGH - 1 - i : y + i][x];
    for (unsigned k = 0; k < TILE; k += 4) row[k] = mixed = race_mix(mixed, row[k]);
    mixed = race_mix(mixed, row[x ? -1 : TILE]);
  }
  race_note(me, mixed);
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t tile = next_tile; /* not atomically: some are painted by two at once */
    next_tile = tile + 1;
    paint(me, tile * 7);
  }
}

static uint32_t more(void) {
  uint32_t mixed = next_tile;
  for (unsigned y = 0; y < ROWS; y++)
    for (unsigned x = 0; x < ROW; x++) mixed = race_mix(mixed, picture[y][x]);
  return mixed;
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 200, run, more);
}

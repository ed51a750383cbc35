/* Sixteen-byte copies over the border of two blocks: half old, half new is what others may see, and see again. */
#include <string.h>

#include "race.h"

struct wide {
  uint64_t half[2];
};
static _Alignas(64) uint8_t area[256];

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint8_t *at = area + 52 + (i % 4) * 4 + 64 * (i / 4 % 2);
    struct wide seen, put = {{(uint64_t)me << 32 | i, ~((uint64_t)me << 32 | i)}};
    __asm__ volatile("" ::: "memory");
    memcpy(&seen, at, sizeof seen);
    memcpy(at, &put, sizeof put);
    __asm__ volatile("" ::: "memory");
    race_note(me, (uint32_t)(seen.half[0] ^ seen.half[0] >> 32 ^ seen.half[1] * 3));
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 10000, run, NULL);
}

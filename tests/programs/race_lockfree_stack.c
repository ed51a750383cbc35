/* A lock-free stack of numbered cells with a counted top, so that a cell taken and put back is noticed. */
#include <stdatomic.h>

#include "race.h"

enum { CELLS = 32 };
static uint32_t below[CELLS + 1]; /* cell 0 is the bottom */
static _Atomic uint64_t top;      /* count << 32 | cell */

static void push(uint32_t cell) {
  uint64_t seen = atomic_load(&top);
  do below[cell] = (uint32_t)seen;
  while (!atomic_compare_exchange_weak(&top, &seen, ((seen >> 32) + 1) << 32 | cell));
}

static uint32_t pop(void) {
  uint64_t seen = atomic_load(&top);
  do {
    if (!(uint32_t)seen) return 0;
  } while (!atomic_compare_exchange_weak(
      &top, &seen, ((seen >> 32) + 1) << 32 | *(volatile uint32_t *)&below[(uint32_t)seen]));
  return (uint32_t)seen;
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t first = pop(), second = pop();
    race_note(me, first * 64 + second);
    if (first) push(first);
    if (second) push(second);
  }
}

int main(int argc, char **argv) {
  for (uint32_t i = 1; i <= CELLS; i++) push(i);
  return race_run(argc, argv, 5000, run, NULL);
}

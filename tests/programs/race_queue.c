/* A bounded lock-free queue with many producers and consumers (a ticket per cell): which thread gets which item. */
#include <stdatomic.h>

#include "race.h"

enum { CELLS = 16 };
static struct {
  _Atomic uint32_t ticket;
  uint32_t item;
} cells[CELLS];
static _Atomic uint32_t head, tail;

static int put(uint32_t item) {
  uint32_t at = atomic_load(&tail);
  for (;;) {
    int32_t ahead = (int32_t)(atomic_load(&cells[at % CELLS].ticket) - at);
    if (ahead < 0) return 0;
    if (ahead == 0 && atomic_compare_exchange_weak(&tail, &at, at + 1)) break;
    if (ahead > 0) at = atomic_load(&tail);
  }
  cells[at % CELLS].item = item;
  atomic_store(&cells[at % CELLS].ticket, at + 1);
  return 1;
}

static int take(uint32_t *item) {
  uint32_t at = atomic_load(&head);
  for (;;) {
    int32_t ahead = (int32_t)(atomic_load(&cells[at % CELLS].ticket) - (at + 1));
    if (ahead < 0) return 0;
    if (ahead == 0 && atomic_compare_exchange_weak(&head, &at, at + 1)) break;
    if (ahead > 0) at = atomic_load(&head);
  }
  *item = cells[at % CELLS].item;
  atomic_store(&cells[at % CELLS].ticket, at + CELLS);
  return 1;
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t item = 0;
    uint32_t done = (uint32_t)put(me << 16 | i) * 2;
    done += (uint32_t)take(&item);
    race_note(me, race_mix(item, done));
  }
}

int main(int argc, char **argv) {
  for (uint32_t i = 0; i < CELLS; i++) cells[i].ticket = i;
  return race_run(argc, argv, 5000, run, NULL);
}

/* sync.c: clocks of synchronisation, and what threads remember of its values. See sync.h. */
#include "order/sync.h"

/* The upper bits of an address, in which locks of the same kind differ, count as well. */
static uint64_t mixed(uint64_t unit) {
  return unit * 0x9e3779b97f4a7c15;
}

/* The bytes of the largest atomic have one clock, and those beside it another one. */
unsigned sync_clock_of(uint64_t address) {
  return (unsigned)(mixed(address >> 4) >> 32) % SYNC_CLOCKS;
}

struct sync_value *sync_last(struct sync_left *left, uint64_t address) {
  enum { LOOKS = 8 };
  uint64_t home = mixed(address) >> 48;
  for (unsigned i = 0; i < LOOKS; i++) {
    struct sync_value *at = &left->of[(home + i) % SYNC_LEFT];
    if (!at->bytes || at->address == address) return at;
  }
  return &left->of[home % SYNC_LEFT];
}

struct sync_value *sync_see(struct sync_seen *seen, uint64_t address) {
  return &seen->of[(mixed(address >> 3) >> 40) % SYNC_SEEN];
}

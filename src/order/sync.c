/* sync.c: clocks of synchronisation, and what threads remember of its values. See sync.h. */
#include "order/sync.h"

/* Words beside each other have different clocks; the upper bits of an address, in which locks of the same kind differ, count as well. */
static uint64_t mixed(uint64_t address) {
  return (address >> 3) * 0x9e3779b97f4a7c15;
}

unsigned sync_clock_of(uint64_t address) {
  return (unsigned)(mixed(address) >> 32) % SYNC_CLOCKS;
}

struct sync_value *sync_see(struct sync_seen *seen, uint64_t address) {
  return &seen->of[(mixed(address) >> 40) % SYNC_SEEN];
}

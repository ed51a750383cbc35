/* distribution.h: how often numbers of which size came up: 0, 1, 2 to 3, 4 to 7, … */
#ifndef REPRISE_SIM_DISTRIBUTION_H
#define REPRISE_SIM_DISTRIBUTION_H

#include <stdint.h>

enum { DISTRIBUTION_PLACES = 48 };

struct distribution {
  uint64_t count[DISTRIBUTION_PLACES];
};

static inline void distribution_add(struct distribution *distribution, uint64_t value) {
  unsigned place = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
  distribution->count[place < DISTRIBUTION_PLACES ? place : DISTRIBUTION_PLACES - 1]++;
}

#endif

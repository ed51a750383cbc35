/* program.h: for programs that run on the simulated machine: what they print must not depend on the number of harts. */
#ifndef TESTS_SIM_PROGRAM_H
#define TESTS_SIM_PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(99);                                                       \
    }                                                                 \
  } while (0)

static inline uint64_t next_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return *state = x;
}

static inline uint64_t mix(uint64_t digest, uint64_t value) {
  return (digest ^ value) * 0x100000001b3 + (digest >> 31);
}

#endif

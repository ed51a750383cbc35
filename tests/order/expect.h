/* expect.h: what unit tests of this folder share: random numbers from a seed, and expectations that are counted. */
#ifndef REPRISE_TESTS_ORDER_EXPECT_H
#define REPRISE_TESTS_ORDER_EXPECT_H

#include <stdint.h>
#include <stdio.h>

static uint64_t random_state = 1;
static uint64_t next(void) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static unsigned failed, passed;
#define EXPECT(condition)                                            \
  do {                                                               \
    if (condition)                                                   \
      passed++;                                                      \
    else if (!failed++)                                              \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
  } while (0)

#endif

/* expect.h: how the unit tests of the engine's parts count what holds. */
#ifndef REPRISE_TESTS_ENGINE_EXPECT_H
#define REPRISE_TESTS_ENGINE_EXPECT_H

#include <stdio.h>

static unsigned passed, failed;

/* Counts, and tells what does not hold. */
#define EXPECT(condition)                                            \
  do {                                                               \
    if (condition)                                                   \
      passed++;                                                      \
    else if (failed++ < 10)                                          \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
  } while (0)

/* The exit status, with the last line that tests/run looks for. */
static inline int expect_end(void) {
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}

#endif

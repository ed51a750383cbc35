/* check.h: CHECK stays on in every build: a simulator that goes on with a broken invariant measures nothing. */
#ifndef REPRISE_SIM_CHECK_H
#define REPRISE_SIM_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                      \
  do {                                                                             \
    if (__builtin_expect(!(condition), 0)) {                                       \
      fprintf(stderr, "reprise sim: %s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                                                \
      fputc('\n', stderr);                                                         \
      abort();                                                                     \
    }                                                                              \
  } while (0)

#endif

/* solve.h: finds an order of all accesses to open memory of a recording, and stores it there (solve.c). */
#ifndef REPRISE_SOLVE_SOLVE_H
#define REPRISE_SOLVE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/engine.h"

struct solve_options {
  unsigned jobs;     /* searches at a time */
  uint64_t patience; /* see struct epoch_options */
  bool confined;
};

/* 0: solved. 1: not all slices have an order, and which ones have none was told. Else an exit status, after one line that says why. */
int solve(const char *path, const struct engine_config *settings, const struct solve_options *options);

#endif

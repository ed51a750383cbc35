/* epoch.h: an order of the accesses of one epoch: the slice that is searched, the search, and what it has found (epoch.c). */
#ifndef REPRISE_SOLVE_EPOCH_H
#define REPRISE_SOLVE_EPOCH_H

#include "search/search.h"
#include "solve/hear.h"
#include "solve/orders.h"

enum { STRETCH = 4096 }; /* accesses in a slice, as users know it */

struct epoch_options {
  uint64_t states;    /* at most in each slice */
  unsigned reordered; /* accesses that an explanation may have, where there is no order */
  void (*passed)(void *context, uint32_t accesses); /* so many more have their places */
  void *context;
};

struct epoch_access {
  uint32_t thread; /* of the R-thread */
  struct heard_access access;
};

enum epoch_verdict {
  EPOCH_SOLVED,
  EPOCH_HAS_NONE,  /* no order explains the values */
  EPOCH_GIVEN_UP,  /* none was found in as many states */
  EPOCH_TOO_LARGE, /* for the search: accesses, or threads */
  EPOCH_DAMAGED,   /* what was told makes no sense */
  EPOCH_NO_MEMORY,
};

struct epoch_result {
  enum epoch_verdict verdict;
  uint32_t accesses;
  uint32_t furthest;        /* accesses that have their places: where the search came to its end */
  struct order_edge *edges; /* of EPOCH_SOLVED: the least that keep the order; in places of struct orders */
  size_t edge_count;
  uint64_t *times; /* of each slice that was passed, in nanoseconds of the processor */
  size_t time_count;
  bool
      is_explained; /* without an order: by these accesses, which were made before an earlier one of their thread; … */
  struct epoch_access *overtook; /* … none of them: by parts of instructions that others came between */
  unsigned overtaking;
};

void epoch_solve(const struct heard *heard, uint32_t epoch, const struct orders *orders,
                 const struct epoch_options *options, struct epoch_result *result);
void epoch_forget(struct epoch_result *result);

#endif

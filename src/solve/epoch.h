/* epoch.h: an order of the accesses of one epoch: the slice that is searched, the search, and what it has found (epoch.c). */
#ifndef REPRISE_SOLVE_EPOCH_H
#define REPRISE_SOLVE_EPOCH_H

#include "search/search.h"
#include "solve/hear.h"
#include "solve/orders.h"
#include "solve/times.h"

enum { STRETCH = 4096 }; /* accesses in a slice, as users know it */

struct epoch_options {
  uint64_t patience; /* states without another access in its place, behind which an exception is made */
  void (*passed)(void *context, uint32_t accesses); /* so many more have their places */
  void *context;
};

enum epoch_verdict {
  EPOCH_SOLVED,
  EPOCH_UNSOLVED,  /* none was found, not even one with exceptions */
  EPOCH_TOO_LARGE, /* for the search: accesses, or threads */
  EPOCH_DAMAGED,   /* what was told makes no sense */
  EPOCH_NO_MEMORY,
};

struct epoch_result {
  enum epoch_verdict verdict;
  uint32_t accesses;
  uint32_t furthest;        /* accesses that have their places: where the search came to its end */
  struct order_facts facts; /* of EPOCH_SOLVED: the least that keep the order; in places of struct orders */
  uint32_t *excepted;       /* of each exception: the slice it is in */
  bool has_none;            /* it is known that there is no order without exceptions */
  uint64_t *times;          /* of each slice that was passed, in nanoseconds of the processor */
  size_t time_count;
};

/* What is known of the recording. */
struct epoch_sources {
  struct heard heard;
  struct orders orders;
  struct times times;
};

void epoch_solve(const struct epoch_sources *sources, uint32_t number, const struct epoch_options *options,
                 struct epoch_result *result);
void epoch_forget(struct epoch_result *result);

#endif

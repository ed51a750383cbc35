/* demand.h: how many accesses still have to read a value, and how many can still write it: a search is pruned by these counts.
 *
 * Words of which all accesses cover the same bytes have a number for each of their values; other words take no part. */
#ifndef REPRISE_SEARCH_DEMAND_H
#define REPRISE_SEARCH_DEMAND_H

#include "search/search.h"

#define DEMAND_NONE UINT32_MAX

struct demand_count {
  uint32_t needed;   /* reads of the value that are still to come, and the end if it must be found there */
  uint32_t supplied; /* writes of it */
};

struct demand {
  struct demand_count *counts;
  uint32_t *reads, *writes; /* of each access: the number of the value that it reads, writes; DEMAND_NONE */
  uint32_t numbers;         /* how many there are */
  uint32_t *initial;        /* of each location: the number of the value there at the beginning */
};

bool demand_open(struct demand *demand, const struct search_slice *slice);
void demand_close(struct demand *demand);

#endif

/* schemes.h: the order schemes as they are tested here, with their options. */
#ifndef REPRISE_TESTS_ORDER_SCHEMES_H
#define REPRISE_TESTS_ORDER_SCHEMES_H

#include "world.h"

struct tested_scheme {
  const char *name;
  const struct order_scheme *scheme;
  struct order_options options;
};

enum {
  TOKENS,
  TOKENS_SINGLE,
  TOKENS_EDGES,
  TOKENS_FILTER,
  TOKENS_FILTER_SINGLE,
  DAG,
  DAG_EDGES,
  SCALAR,
  SCALAR_FILTER,
  ARCS,
  ARCS_LAST,
  TESTED_SCHEMES
};
extern const struct tested_scheme tested_schemes[TESTED_SCHEMES];

/* With `threads` threads alive and nothing done. */
void scheme_start(const struct tested_scheme *tested, unsigned threads);
/* All threads are at the end of an operation: they come back, exit, and the history is checked. */
bool scheme_finish(const struct tested_scheme *tested);

#endif

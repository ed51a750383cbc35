/* schemes.h: the order scheme of each of the engine's parallel orders: one table for the recorder, the replayer, and the manager, which closes
 * the logs of killed threads.
 *
 * `tokens` is Karma's hardware protocol: an episode that ends sends a wake-up token to each of its successors. `dag` has the same graph, but names
 * the episode that a thread waits for: in memory that threads share, a thread publishes the end of its episode by one store for all waiting
 * threads, where tokens are one store for each. docs/performance.md has both.
 *
 * `sync` has the log of `arcs`, with arcs between synchronisation only (engine/order/sync.h). */
#ifndef REPRISE_CONTRACT_SCHEMES_H
#define REPRISE_CONTRACT_SCHEMES_H

#include "contract/engine.h"
#include "order/order.h"

/* NULL: the order has none. */
static inline const struct order_scheme *engine_scheme(uint32_t which) {
  switch (which) {
    case ENGINE_DAG:
      return &order_dag;
    case ENGINE_TOKENS:
      return &order_tokens;
    case ENGINE_SCALAR:
      return &order_scalar;
    case ENGINE_ARCS:
    case ENGINE_SYNC:
      return &order_arcs;
    default:
      return NULL;
  }
}

/* A thread that waits for another one waits for a position of it, which may be any. */
static inline bool engine_has_arcs(uint32_t which) {
  return engine_scheme(which) == &order_arcs;
}

#endif

/* schemes.h: the order scheme of each of the engine's parallel orders: one table for the recorder, the replayer, and the manager, which closes
 * the logs of killed threads.
 *
 * `dag` names episodes in PRED (order/named.c): in memory that threads share, a thread publishes its episode by one store for all
 * waiting threads, where Karma's wake-up messages (order/dag.c, here `tokens`) are one store for each. docs/performance.md has both. */
#ifndef REPRISE_CONTRACT_SCHEMES_H
#define REPRISE_CONTRACT_SCHEMES_H

#include "contract/engine.h"
#include "order/order.h"

/* NULL: the order has none. */
static inline const struct order_scheme *engine_scheme(uint32_t which) {
  switch (which) {
    case ENGINE_DAG:
      return &order_named;
    case ENGINE_TOKENS:
      return &order_dag;
    case ENGINE_SCALAR:
      return &order_scalar;
    case ENGINE_ARCS:
      return &order_arcs;
    default:
      return NULL;
  }
}

#endif

/* schemes.c: see schemes.h. */
#include "schemes.h"

#include "check.h"

/* The position of the last access is the substrate's to know. */
static void reply_last_access(const struct order *order, struct order_recorder *me,
                              const struct order_ask *ask, struct order_note *out) {
  struct order_ask exact = *ask;
  exact.last_access = world.last_access[me->slot][ask->block];
  order_arcs.reply(order, me, &exact, out);
}

static struct order_scheme arcs_last;

const struct tested_scheme tested_schemes[TESTED_SCHEMES] = {
    [TOKENS] = {"tokens", &order_tokens, {0}},
    [TOKENS_SINGLE] = {"tokens, single edges", &order_tokens, {.single_edges = true}},
    [TOKENS_EDGES] = {"tokens, ending at edges", &order_tokens, {.edges_only = true, .max_episode = 1}},
    [TOKENS_FILTER] = {"tokens, filter", &order_tokens, {.filter = true}},
    [TOKENS_FILTER_SINGLE] = {"tokens, filter, single edges",
                              &order_tokens,
                              {.filter = true, .single_edges = true}},
    [DAG] = {"dag", &order_dag, {0}},
    [DAG_EDGES] = {"dag, ending at edges", &order_dag, {.edges_only = true, .max_episode = 1}},
    [SCALAR] = {"scalar", &order_scalar, {0}},
    [SCALAR_FILTER] = {"scalar, filter", &order_scalar, {.filter = true}},
    [ARCS] = {"arcs", &order_arcs, {0}},
    [ARCS_LAST] = {"arcs, last access", &arcs_last, {.last_access = true}},
};

static void run(unsigned t) {
  while (!world_is_idle(t)) world_step(t);
}

void scheme_start(const struct tested_scheme *tested, unsigned threads) {
  arcs_last = order_arcs;
  arcs_last.reply = reply_last_access;
  world_start(tested->scheme, &tested->options, threads, true);
}

bool scheme_finish(const struct tested_scheme *tested) {
  for (unsigned t = 0; t < world.threads; t++) {
    if (world.thread[t].activity == PARKED) {
      world_operate(t, (struct op){.kind = OP_UNPARK});
      run(t);
    }
    if (!world_is_idle(t)) continue;
    world_operate(t, (struct op){.kind = OP_EXIT});
    while (world.thread[t].activity != DEAD) world_step(t);
  }
  return !world_wrong && check_history(tested->scheme);
}

/* node_set.h: sets of private caches, as the directory keeps them: a bit for each node. */
#ifndef REPRISE_SIM_NODE_SET_H
#define REPRISE_SIM_NODE_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes are numbered from 0; NOBODY is none. */
enum { NODE_WORDS = 3, NODES = NODE_WORDS * 64, NOBODY = 255 };

struct node_set {
  uint64_t word[NODE_WORDS];
};

static inline bool node_set_has(const struct node_set *set, unsigned node) {
  return set->word[node / 64] >> node % 64 & 1;
}
static inline void node_set_add(struct node_set *set, unsigned node) {
  set->word[node / 64] |= UINT64_C(1) << node % 64;
}
static inline void node_set_remove(struct node_set *set, unsigned node) {
  set->word[node / 64] &= ~(UINT64_C(1) << node % 64);
}
static inline bool node_set_is_empty(const struct node_set *set) {
  return !(set->word[0] | set->word[1] | set->word[2]);
}
_Static_assert(NODE_WORDS == 3, "node_set_is_empty looks at every word");

#endif

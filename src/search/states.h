/* states.h: the states that a search has been in, each named by 128 bits. */
#ifndef REPRISE_SEARCH_STATES_H
#define REPRISE_SEARCH_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state_name {
  uint64_t low, high;
};

struct states {
  struct state_name *names; /* open addressing; a name of zeros is no entry */
  size_t mask, used;
};

bool states_open(struct states *states);
void states_close(struct states *states);
/* All states are new again. */
void states_forget(struct states *states);

/* 1 if the state is new, 0 if it has been there, -1 without memory. */
int states_add(struct states *states, struct state_name name);

static inline uint64_t states_mix(uint64_t x) {
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

/* Names are sums, without carry, of the names of their parts: so a part is added and taken away alike. */
static inline void states_toggle(struct state_name *name, uint64_t kind, uint64_t which, uint64_t value) {
  uint64_t part = states_mix(value + states_mix(which * 8 + kind));
  name->low ^= part;
  name->high ^= states_mix(part + 0x9e3779b97f4a7c15 + value);
}

#endif

/* states.c: the set of states that a search has been in. See states.h. */
#include "search/states.h"

#include <stdlib.h>
#include <string.h>

enum { STATES_FIRST = 1024 };

bool states_open(struct states *states) {
  *states = (struct states){.names = calloc(STATES_FIRST, sizeof *states->names), .mask = STATES_FIRST - 1};
  return states->names != NULL;
}

void states_close(struct states *states) {
  free(states->names);
}

void states_forget(struct states *states) {
  if (states->used) memset(states->names, 0, (states->mask + 1) * sizeof *states->names);
  states->used = 0;
}

/* The entry that has this name, or that is free for it. */
static struct state_name *find(struct state_name *names, size_t mask, struct state_name name) {
  size_t at = name.low & mask;
  while ((names[at].low | names[at].high) && (names[at].low != name.low || names[at].high != name.high))
    at = (at + 1) & mask;
  return &names[at];
}

static bool grow(struct states *states) {
  size_t mask = states->mask * 2 + 1;
  struct state_name *names = calloc(mask + 1, sizeof *names);
  if (!names) return false;
  for (size_t i = 0; i <= states->mask; i++) {
    struct state_name name = states->names[i];
    if (name.low | name.high) *find(names, mask, name) = name;
  }
  free(states->names);
  states->names = names;
  states->mask = mask;
  return true;
}

int states_add(struct states *states, struct state_name name) {
  if (states->used * 2 > states->mask && !grow(states)) return -1;
  if (!(name.low | name.high)) name.low = 1;
  struct state_name *entry = find(states->names, states->mask, name);
  if (entry->low | entry->high) return 0;
  *entry = name;
  states->used++;
  return 1;
}

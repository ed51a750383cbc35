/* states.h: the states of the world that have been seen, and those still to be gone on from. */
#ifndef REPRISE_TESTS_ORDER_STATES_H
#define REPRISE_TESTS_ORDER_STATES_H

#include "world.h"

void states_clear(void);
/* Remembers the world as it is, to be gone on from, unless it was seen before or something is wrong with it. */
void states_add(void);
/* One to go on from; false if there is none. */
bool states_take(struct world *state);
void states_go_back(const struct world *state);
/* Takes a step of a thread from `state`, which is the world, and adds what comes of it. False if nothing does: it waits for a lock. */
bool states_step(unsigned t, const struct world *state);
/* Seen so far. */
size_t states_count(void);

#endif

/* restarts.h: a replay that goes back to checkpoints at random: a test of them (restarts.c). */
#ifndef REPRISE_TRAVEL_RESTARTS_H
#define REPRISE_TRAVEL_RESTARTS_H

#include <stdint.h>

#include "sphere/replay.h"

/* Restarts so many times. The driver says, on standard error, when it could make fewer. */
const struct replay_driver *restarts_driver(uint32_t restarts, uint64_t seed);

#endif

/* measuring.h: a replay in which checkpoints are made as for a debugger, to measure what they cost (measuring.c). */
#ifndef REPRISE_TRAVEL_MEASURING_H
#define REPRISE_TRAVEL_MEASURING_H

#include "sphere/replay.h"

/* The driver prints on standard error how many were made and kept, and their cost. */
const struct replay_driver *keeping_driver(void);

#endif

/* driving.h: a debugged replay that no debugger drives, but its manager (driving.c). Images are made by such replays: so they have all that a debugger needs. */
#ifndef REPRISE_TRAVEL_DRIVING_H
#define REPRISE_TRAVEL_DRIVING_H

#include <stdbool.h>

#include "contract/region.h"

/* Whenever the region is new: no hit counts; the replay stops at the moment, if there is one, and at its end. */
void driving_begin(struct region *region, const struct debug_moment *goal);
/* The replay has stopped: false while a thread that has passed the turn on is not at rest yet, which it will soon be. What the region tells of it is not up to date. */
bool driving_settled(const struct region *region);
/* True if the replay stands at a stop; then it goes on. The first clears the goal, if that is where it stands. */
bool driving_arrived(struct region *region);
void driving_go_on(struct region *region);

#endif

/* checkpoint_vessel.h: copies of a replaying process that wait, and go on when they are told to (vessel.c). */
#ifndef REPRISE_ENGINE_CHECKPOINT_VESSEL_H
#define REPRISE_ENGINE_CHECKPOINT_VESSEL_H

/* Replays with checkpoints: before the first thread rests. */
void vessel_init(void);

#endif

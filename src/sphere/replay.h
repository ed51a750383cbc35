/* replay.h: replaying a recording (replay.c). */
#ifndef REPRISE_SPHERE_REPLAY_H
#define REPRISE_SPHERE_REPLAY_H

#include <stdbool.h>

#include "sphere/launch.h"

/* Replays the recording at path and returns the exit status; a program that died of a signal takes the caller with it. confined: what is
 * replayed can do nothing outside (engine/border/confine.c). */
int replay(const char *path, bool quiet, bool confined, struct engine_config *settings);

#endif

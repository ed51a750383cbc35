/* replay.h: replaying a recording (replay.c). */
#ifndef REPRISE_SPHERE_REPLAY_H
#define REPRISE_SPHERE_REPLAY_H

#include <stdbool.h>

#include "sphere/launch.h"

/* Replays the recording at path and returns the exit status; a program that died of a signal takes the caller with it. */
int replay(const char *path, bool quiet, struct engine_config *settings);

#endif

/* replay.h: replaying a recording (replay.c). */
#ifndef REPRISE_SPHERE_REPLAY_H
#define REPRISE_SPHERE_REPLAY_H

#include <stdbool.h>

#include "sphere/launch.h"

struct replay_options {
  bool quiet;        /* output is not shown */
  bool confined;     /* what is replayed can do nothing outside (engine/border/confine.c) */
  bool serial;       /* one thread at a time, whatever the order of the recording (engine/order/serial.h) */
  uint32_t restarts; /* from checkpoints at random points, a test of these; 0: no checkpoints are made … */
  uint64_t seed;     /* … and which points */
  bool turns;        /* how often the turn changed is told, with a digest of the sequence */
};

/* Replays the recording at path and returns the exit status; a program that died of a signal takes the caller with it. */
int replay(const char *path, const struct replay_options *options, struct engine_config *settings);

#endif

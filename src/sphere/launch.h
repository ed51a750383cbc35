/* launch.h: starting the engine (launch.c). */
#ifndef REPRISE_SPHERE_LAUNCH_H
#define REPRISE_SPHERE_LAUNCH_H

#include <stddef.h>

#include "engine/engine.h"

/* Why something could not be done, for the user; and the exit status that belongs to it. */
struct launch_problem {
  int status;
  char text[512];
};

/* Fills the log channels from REPRISE_LOG. 0, or -1 with the problem. */
int launch_channels(struct engine_config *settings, struct launch_problem *problem);
/* Becomes the program under the engine: returns only when that fails. region: the memory shared with the manager, or -1. */
void launch(struct engine_config *settings, char **argv, char **envp, int region,
            struct launch_problem *problem);

#endif

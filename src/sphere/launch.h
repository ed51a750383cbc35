/* launch.h: starting the engine (launch.c). */
#ifndef REPRISE_SPHERE_LAUNCH_H
#define REPRISE_SPHERE_LAUNCH_H

#include <stddef.h>

#include "contract/engine.h"

/* Why something could not be done, for the user; and the exit status that belongs to it. */
struct launch_problem {
  int status;
  char text[512];
};

/* Fills the log channels from REPRISE_LOG. 0, or -1 with the problem. */
int launch_channels(struct engine_config *settings, struct launch_problem *problem);
/* The bits of the predictors that a list with commas names. 0, or -1 with the problem. */
int launch_predictors(const char *list, uint32_t *bits, struct launch_problem *problem);
/* Checks that processes and threads can end here, where a filter of system calls may be in force. 0, or -1 with the problem. */
int launch_check_ends(struct launch_problem *problem);
/* Descriptors that the program shares with the manager; -1: there is none. */
struct launch_shared {
  int region; /* memory (contract/region.h) */
  int socket; /* over which files come in replay */
};
/* Becomes the program under the engine: returns only when that fails. */
void launch(struct engine_config *settings, char **argv, char **envp, const struct launch_shared *shared,
            struct launch_problem *problem);

#endif

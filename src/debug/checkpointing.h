/* checkpointing.h: the debugger's part in the manager of a run (checkpointing.c). */
#ifndef REPRISE_DEBUG_CHECKPOINTING_H
#define REPRISE_DEBUG_CHECKPOINTING_H

#include <stdbool.h>
#include <sys/types.h>

#include "contract/engine.h"
#include "contract/region_debug.h"

/* The keeper's messages to the debugger, a byte each. */
enum {
  KEEPER_REGION = 'r', /* with a descriptor of the region: a run begins */
  KEEPER_STOPPED = 's',
  KEEPER_NOTHING = 'n', /* there is no checkpoint to go back to */
};

/* The debugger's message to the keeper: make a checkpoint when the replay goes on, or go back to the latest one before a moment. */
struct keeper_wish {
  bool makes;
  struct debug_moment before;
};

struct keeper_settings {
  const char *path;
  bool confined;
  int apart; /* milliseconds of replay between checkpoints, at least; -1: as usual */
  const struct engine_config *engine;
};

/* Becomes the manager of a replay, in a child of the debugger. control: a socket to the debugger; output: for the program's output. */
_Noreturn void keeper_become(const struct keeper_settings *from, int control, const int output[2],
                             pid_t debugger);

#endif

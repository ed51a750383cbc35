/* run.h: one run of a debugged replay (run.c).
 *
 * Each run has a manager in a process of its own, which ends with the debugger. The debugger maps the region of the run and drives it through the
 * part in contract/region_debug.h. */
#ifndef REPRISE_DEBUG_RUN_H
#define REPRISE_DEBUG_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "contract/engine.h"
#include "contract/region.h"
#include "debug/checkpointing.h"

struct run {
  pid_t manager;       /* 0: there is none */
  int control;         /* messages of the manager: the replay has stopped; end of file: the run is over */
  int output[2];       /* the program's standard output and error */
  uint64_t written[2]; /* bytes of them so far */
  struct region *region;
  int status; /* of the manager, as wait(2) gives it, when the run is over */
};

enum run_news {
  RUN_STOPPED, /* all threads rest; region->debug.stop says where and why */
  RUN_OVER,    /* the replay has ended */
  RUN_CLIENT,  /* there is something to read from the client, or it is gone */
};

/* Takes the program's output: standard output (0) or error (1). */
typedef void run_shows(void *context, int which, const uint8_t *bytes, size_t count);

/* Starts a run, which stops by itself before its first instruction. False: no run could be started, errno says why; 0: it was over before it began, and has told why. */
bool run_start(struct run *run, const struct keeper_settings *settings);
/* Goes on from a stop. reason: that of the stop, as the client was told (enum debug_reason). */
void run_resume(struct run *run, uint32_t reason);
/* Waits for news. client: a descriptor, or -1. */
enum run_news run_wait(struct run *run, int client, run_shows *shows, void *context);
/* Restores the latest checkpoint before the moment, and stops there. False: there is none, and only run_end may follow. */
bool run_restart(struct run *run, const struct debug_moment *before);
/* A checkpoint is made right after the replay is resumed, if it can be. */
void run_keep(struct run *run);
/* Waits until nothing of the run is left. at_once: tells it to end; otherwise it is over already, and the status is how the program ended. */
void run_end(struct run *run, bool at_once);

#endif

/* run.h: a simulation from beginning to end, for `reprise sim`. */
#ifndef REPRISE_SIM_RUN_H
#define REPRISE_SIM_RUN_H

#include <stdio.h>

#include "sim/machine/config.h"
#include "sim/statistics.h"
#include "sim/machine/thread.h"

/* One program, in a sphere of its own. */
struct sim_program {
  enum sphere_mode mode;
  const char *folder;   /* of the recording, made (NULL: in the default place) or followed */
  char **argv;          /* ends with NULL; in replay the recording's, and NULL here */
  bool from_checkpoint; /* replay: not from the beginning */
};

struct sim_request {
  struct sim_config config;
  const char *scheme;   /* of the order, when recording; NULL: tokens */
  uint64_t max_episode; /* references; 0: no limit */
  const char *trace;    /* file for a trace of the episodes, when recording; NULL: none */
  const struct sim_program *programs;
  uint32_t count;
};

struct sim_outcome {
  int status;      /* the first program's, as a shell has it; or one of reprise's own, with a line in error */
  bool breaks_off; /* a replay came to where its recording breaks off: its recorder was killed, or gave up */
  char error[1024];
  char folder[4096]; /* of the first recording made */
  struct statistics statistics;
};

enum { SIM_MAX_PROGRAMS = 16 };
void sim_run(const struct sim_request *request, struct sim_outcome *outcome);
struct order_scheme;
/* NULL: there is no such scheme. */
const struct order_scheme *sim_find_scheme(const char *name);

#endif

/* run.h: a simulation from beginning to end: what `reprise sim` does. */
#ifndef REPRISE_SIM_RUN_H
#define REPRISE_SIM_RUN_H

#include <stdio.h>

#include "sim/config.h"
#include "sim/thread.h"

/* One program, in a sphere of its own. */
struct sim_program {
  enum sphere_mode mode;
  const char *folder; /* of the recording, made or followed; NULL for plain ones */
  char **argv;        /* ends with NULL */
};

struct sim_outcome {
  int status; /* the first program's, as a shell has it; or one of reprise's own with a line in error */
  char error[512];
  uint64_t cycles, instructions, calls, page_faults, switches, interrupts, signals, input_bytes;
  uint64_t register_digest, memory_digest; /* of all spheres */
};

void sim_run(const struct sim_config *config, struct sim_program *programs, uint32_t count,
             struct sim_outcome *outcome);
void sim_print(FILE *to, const struct sim_config *config, const struct sim_outcome *outcome, double seconds,
               bool json);

#endif

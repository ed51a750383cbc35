/* record.h: recording a program (record.c). */
#ifndef REPRISE_SPHERE_RECORD_H
#define REPRISE_SPHERE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "sphere/launch.h"

enum { EPISODE_SIZE = 512 };

struct record_options {
  const char *output; /* the recording's folder, NULL: the default place */
  uint64_t seed;
  bool chaos;
  uint64_t chunk;        /* instructions */
  uint32_t order;        /* enum engine_order */
  uint64_t max_episode;  /* instructions in an episode that others wait for, 0: any number */
  uint32_t without;      /* predictors that are switched off, as bits */
  uint32_t values;       /* enum engine_values */
  uint64_t check_memory; /* instructions between two digests of memory, 0: none */
  bool quiet;            /* does not tell where the recording is */
};

/* Records the program and returns the exit status; a program that dies of a signal takes the caller with it. */
int record(const struct record_options *options, struct engine_config *settings, char **argv);

#endif

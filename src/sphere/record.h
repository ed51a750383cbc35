/* record.h: recording a program (record.c). */
#ifndef REPRISE_SPHERE_RECORD_H
#define REPRISE_SPHERE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "order/chunk.h"
#include "recording/recording.h"
#include "sphere/launch.h"

enum { EPISODE_SIZE = 512 };

enum { STATUS_NONE = -1 };

struct manager;
struct keep;
/* Keeps the logs, instead of having them stored at once (travel/flight.c). Functions that return a status do so as those of recording.h. */
struct log_keeper {
  void (*begin)(struct manager *manager, struct recording_writer *writer, const struct keep *kept);
  int (*append)(struct recording_stream_id id, uint64_t first, uint64_t last, const void *bytes,
                size_t length, struct recording_error *error);
  int (*end)(struct recording_stream_id id, struct recording_error *error);
  void (*look)(void); /* now and then, while the program runs */
  /* A vessel of the program is made (0), or it could not be (-errno). Nothing is logged meanwhile, and all that was is here. */
  int64_t (*checkpoint)(int64_t made);
  /* All processes are dead, and all logs here. Stores what is wanted of them; *stored: that is something. status: of the program, as wait(2) gives it, or
   * STATUS_NONE: the recording ends early. */
  int (*close)(int status, bool *stored, struct recording_error *error);
};

struct record_options {
  const char *output; /* the recording's folder, NULL: the default place */
  uint64_t seed;
  bool chaos;
  uint64_t chunk;       /* instructions */
  uint32_t order;       /* enum engine_order */
  uint64_t max_episode; /* instructions in an episode that others wait for, 0: any number */
  uint32_t epoch;   /* in parallel: milliseconds from the end of an epoch to the next, 0: there are none */
  uint32_t without; /* predictors that are switched off, as bits */
  uint32_t values;  /* enum engine_values */
  uint64_t check_memory; /* instructions between two digests of memory, 0: none */
  bool quiet;            /* does not tell where the recording is */
  bool replica;          /* a replay beside the program verifies the recording */
  const char *
      core; /* where a core file is wanted if a signal ends the program, or the keeper stores something (core_file.h); NULL: nowhere */
  const struct log_keeper *keeper; /* of a recording of which only the end is kept, or NULL */
};

/* The record with which the order log of chunks would end if all threads were killed now: its bytes, 0: none is missing. */
size_t record_last_chunk(const struct manager *manager, uint8_t buffer[CHUNK_END_LARGEST]);

/* Records the program and returns the exit status; a program that dies of a signal takes the caller with it. */
int record(const struct record_options *options, struct engine_config *settings, char **argv);

#endif

/* flight_dump.h: what a flight recorder keeps in memory, and how it is stored (flight_dump.c). */
#ifndef REPRISE_TRAVEL_FLIGHT_DUMP_H
#define REPRISE_TRAVEL_FLIGHT_DUMP_H

#include <sys/types.h>

#include "order/chunk.h"
#include "recording/recording.h"
#include "travel/checkpoints.h"

struct keep;

/* A frame of a stream, or its end. */
struct entry {
  struct recording_stream_id id;
  uint32_t length;
  bool ends;
  uint64_t first, last;
};

struct block {
  struct block *next;
  size_t used, room;
  uint8_t bytes[];
};

struct segment {
  struct segment *next; /* a younger one */
  struct block *first, *last;
  uint64_t bytes, begun, ended; /* the latter two in microseconds */
  bool lost;                    /* there was no room for it */
  bool from_start;              /* it begins with the program, else with this checkpoint: */
  struct checkpoint_moment moment;
  int region;
  pid_t *vessels;
  int *descriptors; /* of them */
  size_t count;
  pid_t reader; /* a process that stores the checkpoint, 0: none */
};

/* Stores the segments from the first one up to the last, which is left out, or to the end (NULL). The recording begins with the first. */
int flight_store(struct recording_writer *writer, const struct keep *kept, const struct segment *first,
                 const struct segment *last, struct recording_error *error);

/* The end of an order log of chunks that goes on elsewhere. */
struct order_end {
  uint8_t bytes[CHUNK_END_LARGEST];
  size_t count;
};

/* The same in a recording of its own, at the path: a copy of `of`. ending: how it ends, as the manifest says it; end: and its order log, NULL: as it is. What
 * can't be stored is removed again. */
int flight_store_beside(const char *path, const struct recording_writer *of, const struct keep *kept,
                        const struct segment *first, const struct segment *last, const char *ending,
                        const struct order_end *end, struct recording_error *error);

#endif

/* times.h: when the threads of a recording with values had come how far (times.c): a clock that all processors have, read now and then. */
#ifndef REPRISE_SOLVE_TIMES_H
#define REPRISE_SOLVE_TIMES_H

#include "recording/recording.h"

struct times_point {
  uint64_t instructions, time;
};

struct times_thread {
  uint32_t thread; /* of the R-thread */
  struct times_point *points;
  size_t count;
};

struct times {
  struct times_thread *threads;
  size_t count;
};

int times_read(struct recording_reader *reader, struct times *times, struct recording_error *error);
void times_drop(struct times *times);

/* When an instruction was made that has so many before it: between two times, 0 and UINT64_MAX where none are known, and perhaps at `guess`. */
void times_find(const struct times *times, uint32_t number, uint64_t instructions, uint64_t *began,
                uint64_t *ended, uint64_t *guess);

#endif

/* hear.h: the accesses to open memory of a recording, as a replay of it tells them (order/told.h), by threads and epochs (hear.c). */
#ifndef REPRISE_SOLVE_HEAR_H
#define REPRISE_SOLVE_HEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/engine.h"

struct heard_access {
  uint64_t address, position, read, written;
  uint64_t instructions; /* that the thread has made before */
  uint8_t kind, count;   /* enum told_kind: a read, write or exchange; bytes */
};

/* The accesses of a thread in one epoch. */
struct heard_span {
  uint32_t epoch;
  size_t first, count;
};

struct heard_thread {
  uint32_t number; /* of the R-thread */
  struct heard_access *accesses;
  size_t count;
  struct heard_span *spans; /* by epoch */
  size_t span_count;
};

struct heard_word {
  uint64_t address, content;
};

/* Words and what was in them, by address: before the epoch, and behind it. */
struct heard_words {
  struct heard_word *words;
  size_t count;
};

struct heard_epoch {
  struct heard_words found, left;
  uint32_t closer; /* the R-thread that closed all memory, … */
  uint64_t closed; /* … at this position, if anything is left */
};

struct heard {
  struct heard_thread *threads; /* by their numbers */
  size_t thread_count;
  struct heard_epoch *epochs;
  size_t epoch_count;
  size_t accesses; /* of all threads */
};

/* Replays the recording in a process of its own, which ends with this one. 0, or the exit status after one line that says why. */
int hear(const char *path, const struct engine_config *settings, bool confined, struct heard *heard);
void hear_forget(struct heard *heard);

/* The content of the word; false if it was not told. */
bool heard_find(const struct heard_words *words, uint64_t address, uint64_t *content);

#endif

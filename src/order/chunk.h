/* chunk.h: the order scheme `chunk`: one R-thread at a time, in chunks.
 *
 * The thread with the baton runs until its chunk is full or it is about to wait; then it passes the baton to the next thread in the queue. The order
 * log tells for every chunk how long it was, how it ended, and which thread comes next. This is the pure
 * part: sizes, choice, encoding. The substrate passes the baton. */
#ifndef REPRISE_ORDER_CHUNK_H
#define REPRISE_ORDER_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_SLOTS = 4032, CHUNK_SIZE = 1 << 20, CHUNK_SIZE_LEAST = 1 << 10 };

enum chunk_reason {
  CHUNK_POLL, /* full: at a safepoint */
  CHUNK_CALL, /* in a system call, before anything of its result is seen */
  CHUNK_EXIT, /* the thread is at its end */
  CHUNK_DEAD, /* the thread was killed: it came at least so far */
  CHUNK_REASONS,
};

#define CHUNK_NOBODY UINT32_MAX /* after the last chunk of a recording */

struct chunk_end {
  uint64_t length; /* instructions since the chunk began */
  uint32_t next;   /* the R-thread whose chunk comes then */
  uint8_t reason;  /* enum chunk_reason */
  bool known;
};

/* A record of the order log that says only how far the chunk of a thread has come yet. */
static inline bool chunk_is_mark(const struct chunk_end *end, uint32_t thread) {
  return end->reason == CHUNK_DEAD && end->next == thread;
}

/* -- Who is next ---------------------------------------------------------------------------------------------------- */

struct chunk_scheduler {
  uint64_t random; /* state of the generator; from the seed */
  uint64_t size;   /* of a chunk, at most; with chaos this and less */
  uint32_t chaos;  /* sizes and choices are random */
  uint32_t first, count;
  uint16_t queue[CHUNK_SLOTS]; /* waiting slots, in the order of arrival, round and round */
};

void chunk_init(struct chunk_scheduler *scheduler, uint64_t seed, bool chaos, uint64_t size);
/* How long the next chunk may get. */
uint64_t chunk_size(struct chunk_scheduler *scheduler);
/* A slot wants the baton. It must not be waiting already. */
void chunk_wait(struct chunk_scheduler *scheduler, uint32_t slot);
/* Takes the next one out of the queue; false if nobody waits. */
bool chunk_next(struct chunk_scheduler *scheduler, uint32_t *slot);
/* A slot does not wait any more. */
void chunk_forget(struct chunk_scheduler *scheduler, uint32_t slot);

/* -- The order log ---------------------------------------------------------------------------------------------------- */

enum { CHUNK_END_LARGEST = 20 };
/* varint(length * 4 + reason), varint(next). Returns the length. */
size_t chunk_encode(const struct chunk_end *end, uint8_t buffer[CHUNK_END_LARGEST]);
/* Bytes used, 0 when there are too few, -1 when these are none. */
int chunk_decode(struct chunk_end *end, const uint8_t *buffer, size_t bytes);

#endif

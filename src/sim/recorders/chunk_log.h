/* chunk_log.h: the order of a sphere's chunks: written by a recording, followed by a replay. The format is in chunks.h. */
#ifndef REPRISE_SIM_CHUNK_LOG_H
#define REPRISE_SIM_CHUNK_LOG_H

#include "sim/recorders/watch.h"

enum chunk_kind {
  CHUNK_REGULAR,   /* of the full size, or ended by a trap: replay finds its end */
  CHUNK_IRREGULAR, /* of the size that follows */
  CHUNK_KERNEL,    /* so many lines copied by the kernel */
};

struct chunk_log;
struct chunk_log *chunk_log_new(uint64_t size);
/* NULL: damaged. */
struct chunk_log *chunk_log_read(const struct order_log *from);
/* Appends the log's bytes since the last time, and forgets them. */
void chunk_log_write(struct chunk_log *log, struct order_log *to);
void chunk_log_free(struct chunk_log *log);
void chunk_log_thread(struct chunk_log *log, uint32_t slot);

void chunk_log_add(struct chunk_log *log, uint32_t slot, enum chunk_kind kind, uint64_t size);

/* Replay. The rest of the slot's next chunk; 0: there is none. */
uint64_t chunk_log_next(struct chunk_log *log, uint32_t slot);
/* It is this slot's turn, with its kernel's lines or with a chunk. */
bool chunk_log_turn(const struct chunk_log *log, uint32_t slot, bool kernel);
/* So much of the present chunk has been committed; over: all of it, whatever its size. False: that does not fit. */
bool chunk_log_advance(struct chunk_log *log, uint32_t slot, uint64_t size, bool over);
/* The slot has committed a part of the chunk whose turn it is. */
bool chunk_log_begun(const struct chunk_log *log, uint32_t slot);
/* The slot that has the turn; ORDER_NOBODY at the end. */
uint16_t chunk_log_head(const struct chunk_log *log);

#endif

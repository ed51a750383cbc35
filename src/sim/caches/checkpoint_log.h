/* checkpoint_log.h: FDR's checkpoint logs, after SafetyNet (FDR sections 3 and 6).
 *
 * Time is cut into intervals. The first time in an interval that a block is updated in a cache, its old bytes are logged; likewise the first time
 * that it is updated in memory. Memory at the beginning of an interval is restored from present memory by putting the cache log's old bytes
 * back, youngest interval first. An interval's logs are compressed when it is over; only as many old intervals are kept as the
 * history is to be long. */
#ifndef REPRISE_SIM_CHECKPOINT_LOG_H
#define REPRISE_SIM_CHECKPOINT_LOG_H

#include "sim/machine/machine.h"

enum {
  CHECKPOINTS_KEPT = 4,
  CHECKPOINT_ENTRY = 8 + LINE_BYTES
}; /* FDR: 4 of 1/3 second; 72 bytes an entry */

struct checkpoint_counters {
  uint64_t intervals;
  uint64_t cache_entries, memory_entries;
  uint64_t cache_compressed, memory_compressed; /* bytes */
};

struct checkpoint_log;

/* An interval ends at the first access that is not fast after so many cycles. */
struct checkpoint_log *checkpoint_log_new(struct machine *machine, uint64_t cycles);
void checkpoint_log_free(struct checkpoint_log *log);
/* A block is about to be updated in a cache; these are its bytes. True: they had to be logged. */
bool checkpoint_log_update(struct checkpoint_log *log, uint64_t block, const uint8_t *bytes);
/* … in memory. */
bool checkpoint_log_write_back(struct checkpoint_log *log, uint64_t block);
/* The interval is over, if it is time. Every port has to ask before its next store then. */
void checkpoint_log_look(struct checkpoint_log *log, uint64_t cycle);
/* The interval that is not over counts, too, in all of them. */
struct checkpoint_counters checkpoint_log_count(const struct checkpoint_log *log);
/* From now on asked before an interval begins, with its number; false: not yet. */
void checkpoint_log_ask(struct checkpoint_log *log, bool (*ask)(struct machine *machine, uint32_t number));
/* The number of the oldest interval that is kept; the first one of all is 1. */
uint32_t checkpoint_log_first(const struct checkpoint_log *log);
/* Calls back for the old bytes of blocks, youngest first, of this interval and all later ones: put back into memory (all caches drained), they make
   of it what it was when the interval began. */
void checkpoint_log_each(const struct checkpoint_log *log, uint32_t first,
                         void (*call)(void *context, uint64_t block, const uint8_t *bytes), void *context);

#endif

/* predict_checks.h: the predictors of a miss at a check of the translated code (predict_upgrades.c, predict_spans.c): how much the miss
 * should claim, from the earlier misses at the same check. Their rules are those of predict.h. */
#ifndef REPRISE_ENGINE_PREDICT_CHECKS_H
#define REPRISE_ENGINE_PREDICT_CHECKS_H

#include <stdbool.h>

#include "engine/base/check_history.h"

/* The thread misses at a check of a read: true if it should claim the block for writing at once. */
bool upgrade_is_expected(struct upgrades *own, struct check_history *check, uint32_t block, uint32_t epoch);
/* The thread misses at a check of a write. */
void upgrade_note_write(struct upgrades *own, uint32_t block, uint32_t epoch);

/* A check has missed. True: claim all blocks that the rest of the translated code relies on, from `first` to `last`, and not only those of the
 * instruction. reaches: the thread has all of them already. */
bool span_of_window(struct check_history *check, uint32_t first, uint32_t last, bool reaches);
/* The same for a check that stands for all accesses to the stack. */
bool span_of_stack(struct check_history *check, uint32_t first, bool reaches);

#endif

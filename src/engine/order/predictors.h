/* predictors.h: the predictors (predict.h) behind the hand-over of blocks: hand_over.c asks them which blocks to request beyond those that a claim needs,
 * and tells them which blocks were granted and lost. Here are their tables, one entry per slot, their clocks, and their switches. */
#ifndef REPRISE_ENGINE_PREDICTORS_H
#define REPRISE_ENGINE_PREDICTORS_H

#include "contract/predictor_names.h"
#include "engine/base/config.h"
#include "engine/predict/predict.h"

struct thread;

#define PREDICTOR_BIT(name, what) PREDICT_##name,
enum predictor { PREDICTORS(PREDICTOR_BIT) PREDICTOR_COUNT };
#undef PREDICTOR_BIT

/* False: the predictor was switched off. Only costs may depend on it. */
static inline bool predicts(enum predictor predictor) {
  return !(config.without >> predictor & 1);
}

/* A claim of the slot's thread begins in the page: the blocks that it should request, which may include those that it needs. Waits while
 * another thread has a lease of the page, unless a thread sends the caller a request. */
uint64_t predictors_along(const struct directory *d, unsigned slot, uint64_t page, uint64_t need, bool write);
/* How many further parts of pages it should request, and where; it needs the `known` next pages for sure. */
unsigned predictors_further(unsigned slot, uint64_t page, unsigned known, struct directory_walk *to);
/* The slot was granted these blocks for writing; another thread takes away its writable blocks of the page. */
void predictors_granted(const struct directory *d, unsigned slot, uint64_t page, uint64_t blocks);
void predictors_lost(unsigned slot, uint64_t page);
/* The claim is done. */
void predictors_done(unsigned slot);

/* The slot's thread waits for others, and does not use its blocks. */
void predictors_wait(unsigned slot, bool waits);
/* At a safepoint: gives up the blocks that the thread has kept for long enough. */
void predictors_serve(struct thread *thread);
/* The instruction count at which the thread should come to its next safepoint for that; UINT64_MAX: none. */
uint64_t predictors_stop(const struct thread *thread);
/* The slot has a new thread. */
void predictors_forget(unsigned slot);

#endif

/* check_history.h: the history of the permission checks of translated code at which threads miss (predict/predict_checks.h). */
#ifndef REPRISE_ENGINE_CHECK_HISTORY_H
#define REPRISE_ENGINE_CHECK_HISTORY_H

#include <stdatomic.h>
#include <stdint.h>

/* The history of one check of the translated code; zero at first. */
struct check_history {
  _Atomic uint32_t short_at;   /* the block at which it fell short last */
  _Atomic uint8_t falls_short; /* how often other threads took blocks that rely on the check */
  _Atomic uint8_t writes_soon; /* how sure it is that the thread writes after this read */
};

/* The reads at which a thread has missed lately. */
struct upgrades {
  struct {
    uint32_t block, epoch;
    struct check_history *check; /* good in that epoch of the code cache */
  } read[8];
  unsigned latest;
};

#endif

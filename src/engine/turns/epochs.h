/* epochs.h: in parallel, the recording is divided into epochs, at whose ends the replay is compared with it (epochs.c).
 *
 * The manager of the recording ends an epoch now and then (sphere/epochs.h). Each thread that runs comes to a safepoint soon, and logs a digest of its registers; the first
 * one of each process stops the others there, and logs a digest of memory, too. So a replay that has gone another way is found out at the end of the epoch, and one that
 * follows the recording knows that nothing else has come to a thread up to there. Threads that wait in the kernel are left alone. */
#ifndef REPRISE_ENGINE_EPOCHS_H
#define REPRISE_ENGINE_EPOCHS_H

#include "engine/base/thread.h"
#include "engine/region/rings.h"

/* Record. */
static inline bool epoch_is_over(const struct thread *thread) {
  return __builtin_expect(atomic_load_explicit(&region->epochs.last, memory_order_relaxed) !=
                              atomic_load_explicit(&thread->rthread->epoch, memory_order_relaxed),
                          0);
}
/* After a system call: brings the thread to a safepoint. */
static inline void epoch_after_call(struct thread *thread) {
  if (epoch_is_over(thread)) arch_request(thread);
}
/* At a safepoint. */
void epoch_record(struct thread *thread);

/* Replay, at a safepoint: the next event is a check at the end of an epoch, and the thread is there. */
void epoch_replay(struct thread *thread);

#endif

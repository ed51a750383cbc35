/* live.h: checkpoints of a recording, made while the program goes on, from which a replay can begin (live.c). In the order `chunk`; what is
 * different in parallel is in turns/live_parallel.c.
 *
 * The thread with the baton makes one at a safepoint, and has one thread of each other process do the same. No other thread can change what the program sees before it has the baton again: it waits for
 * that, or is in a call that works on copies of memory. So nobody is stopped or disturbed: all that a replay needs of the others is in their contexts,
 * and in the marks that they made before they let the baton go. */
#ifndef REPRISE_ENGINE_LIVE_H
#define REPRISE_ENGINE_LIVE_H

#include "engine/base/thread.h"
#include "engine/region/rings.h"

static inline bool live_on(void) {
  return __builtin_expect(config.live, 0);
}

/* The thread is about to let the baton go, not for good; it has it again. */
void live_rests(struct thread *thread);
static inline void live_runs(const struct thread *thread) {
  if (live_on()) atomic_store_explicit(&thread->rthread->checkpoint.at_rest, 0, memory_order_relaxed);
}

/* In parallel: it goes on, when no checkpoint is being made. */
void live_wakes(struct thread *thread);
/* The manager is to store the last part. */
void live_trigger(void);
uint64_t live_now(void); /* nanoseconds */
/* A checkpoint is over: all go on. */
void live_thaw(void);

/* With the baton, at a safepoint where a chunk may end: true if the manager wants a checkpoint. */
static inline bool live_is_wanted(const struct thread *thread) {
  return live_on() && atomic_load_explicit(&region->checkpoint.wish, memory_order_relaxed) &&
         !thread->signals.queued.signo && !thread->record.stop_signal;
}
/* After a system call: brings the thread to a safepoint, which one that waits more than it computes comes to rarely. */
static inline void live_after_call(struct thread *thread) {
  if (live_is_wanted(thread)) arch_request(thread);
}
/* True if one can be made now. Then the thread ends its chunk in the log, and makes it. */
bool live_is_possible(struct thread *thread);
/* False: another process could not take part. */
bool live_make(struct thread *thread);
/* Why none can be made now; and whether all others are at rest (else CHECKPOINT_LATE), and none shares its memory. */
enum checkpoint_refusal live_refusal(void);
enum checkpoint_refusal live_look_at_others(const struct rthread *own);
/* True if another thread waits until this one makes the vessel of its process. */
static inline bool live_is_asked(const struct thread *thread) {
  return live_on() && atomic_load(&thread->rthread->checkpoint.forks) == 1;
}
/* While the thread waits, without the baton: makes the vessel of its process, if that is wanted. */
void live_serve(struct thread *thread);

#endif

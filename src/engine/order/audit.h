/* audit.h: looks for what the kernel writes and no row of the table names (audit.c). Only in the engine that is built for this:
 * `make STRESS=audit`.
 *
 *   audit_before(thread, call)           all memory that the application can write is copied
 *   perform the call
 *   audit_memory(thread, …)              what differs must have been named
 *
 * On copies (input/bounce.h) the application's memory must not change at all, but for what is reached in place; and of the copies what
 * is named must have been written, what is written must be named (audit_copies). The first finding ends the recording.
 *
 * Others that run meanwhile change memory, too: where that may be, only the copies are looked at. What was looked at and what not, and why,
 * is counted (enum region_audit_kind), and told in the recording's manifest. */
#ifndef REPRISE_ENGINE_AUDIT_H
#define REPRISE_ENGINE_AUDIT_H

#include "contract/region.h"
#include "engine/base/thread.h"
#include "input/bounce.h"

#if defined(REPRISE_STRESS_AUDIT)
void audit_before(struct thread *thread, const struct call *call);
/* bounce: the copies that the call has worked on, NULL if it has worked on the memory itself. all: it may have written all that it can
 * reach (record_all_it_may_write). */
void audit_memory(struct thread *thread, const struct call *call, struct input_call *in, long result,
                  struct bounce *bounce, bool all);
void audit_copies(const struct call *call, struct bounce *bounce, long result);
/* The thread has the baton: what others have copied is of no use any more. NULL: nor is what this one has, another process has written its
 * memory. */
void audit_turn(const struct thread *thread);
/* Whether a call that could as well go on copies is to do so now: every other one does, unless not all of the memory that it is to write is
 * there. */
bool audit_wants_copies(const struct call *call, struct input_call *in);
/* A call is not looked at. */
void audit_passes(enum region_audit_kind why);
#else
static inline void audit_before(struct thread *thread, const struct call *call) {
  (void)thread, (void)call;
}
static inline void audit_memory(struct thread *thread, const struct call *call, struct input_call *in,
                                long result, struct bounce *bounce, bool all) {
  (void)thread, (void)call, (void)in, (void)result, (void)bounce, (void)all;
}
static inline void audit_copies(const struct call *call, struct bounce *bounce, long result) {
  (void)call, (void)bounce, (void)result;
}
static inline void audit_turn(const struct thread *thread) {
  (void)thread;
}
static inline bool audit_wants_copies(const struct call *call, struct input_call *in) {
  (void)call, (void)in;
  return false;
}
static inline void audit_passes(enum region_audit_kind why) {
  (void)why;
}
#endif

#endif

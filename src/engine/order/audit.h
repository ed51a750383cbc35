/* audit.h: finds writes of the kernel that no row of the system call table names (audit.c). Only in the engine that is built for this:
 * `make STRESS=audit`.
 *
 *   audit_before(thread, call)           copies all memory that the application can write
 *   perform the call
 *   audit_memory(thread, …)              all bytes that differ must have been named
 *
 * If the call works on copies (input/bounce.h), the application's memory must not change at all, except the parts reached in place. In the copies all
 * named bytes must have been written, and all written bytes must be named (audit_copies). The first finding ends the recording.
 *
 * Other threads that run meanwhile change memory, too: in that case only the copies are checked. The recording's manifest has the numbers of
 * calls that were checked, and that were not, by reason (enum region_audit_kind). */
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
/* The thread has the baton: copies that other threads have made are stale. NULL: so are its own, because another process has written its
 * memory. */
void audit_turn(const struct thread *thread);
/* True if a call that can work on copies should do so now: every other one does, unless some of the memory that it will write is
 * missing. */
bool audit_wants_copies(const struct call *call, struct input_call *in);
/* A call is not checked. */
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

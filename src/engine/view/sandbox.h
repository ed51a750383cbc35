/* sandbox.h: filters of system calls that the program sets (sandbox.c). */
#ifndef REPRISE_ENGINE_SANDBOX_H
#define REPRISE_ENGINE_SANDBOX_H

#include "engine/base/thread.h"

/* An owner of calls: seccomp and its older form, a command of prctl. */
bool sandbox_call(struct thread *thread, const struct call *call, long *result);
/* Replay, where the filter is not set: notes that calls may have any result from now on. */
void sandbox_replayed(const struct call *call, long result);
/* True if a filter answers the call, which is then not performed: with a result, or CALL_INTERRUPTED if a signal comes first. Before anything is
 * done for the call. */
bool sandbox_answers(struct thread *thread, const struct call *call, long *result);

#endif

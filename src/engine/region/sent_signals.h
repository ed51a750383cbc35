/* sent_signals.h: the signals that system calls send, and whom they reach in the sphere (sent_signals.c). */
#ifndef REPRISE_ENGINE_SENT_SIGNALS_H
#define REPRISE_ENGINE_SENT_SIGNALS_H

#include "contract/region.h"
#include "engine/base/thread.h"

/* The process of the sphere that has the id, or a thread with it; 0: there is none. */
int32_t process_of(int32_t id);
/* The first slot of a live process, NULL: there is none. */
struct rthread *process_first(int32_t pid);

/* The signal that the call sends the caller, which may not survive it; 0: none. */
int call_sends_itself(const struct thread *thread, const struct call *call);
/* The signal that a call sends, and its target as kill(2) names it; 0: none. */
int call_sends(const struct call *call, int32_t *to);
/* True if a signal to this target of kill(2) reaches the process. */
bool signal_reaches(int32_t to, int32_t pid);
/* The signal by which a call ends the caller's own process at once, if it succeeds: a thread that may take it does not catch or
 * block it. 0: there is none; SIGKILL is not reported. */
int call_is_fatal(const struct thread *thread, const struct call *call);
/* Calls `act` for the processes of the sphere that the signal reaches, except the caller's. */
void call_reaches_others(const struct thread *thread, int32_t to, void (*act)(int32_t pid, void *context),
                         void *context);

#endif

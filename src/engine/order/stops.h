/* stops.h: recorded processes that are stopped (stops.c). */
#ifndef REPRISE_ENGINE_STOPS_H
#define REPRISE_ENGINE_STOPS_H

#include <linux/signal.h>

#include "contract/region.h"
#include "engine/base/thread.h"

#define FROM_TERMINAL (1UL << (SIGTSTP - 1) | 1UL << (SIGTTIN - 1) | 1UL << (SIGTTOU - 1))

/* Recording: signals whose default action our handler takes. */
static inline bool stops_handled(int signo) {
  return recording() && FROM_TERMINAL >> (signo - 1) & 1;
}
/* In the kernel's handler: a stop signal has come that the application does not handle. *mask is the kernel's from its return on. */
void stops_arrived(struct thread *thread, int signo, const siginfo_t *info, uint64_t *mask);
/* Tells the threads that hand on the baton that the threads of a process can't take it. */
void stops_mark(int32_t pid, enum stop_state state);
/* With the region's lock, which may be released if other threads want it: stops if a stop signal has come that could
 * not be obeyed at once, unless a thread of the process has the baton. */
void stops_serve(struct thread *thread);
/* In parallel: true if a stop signal has come that could not be obeyed at once, or another process has requested the stop. Then: obeys it at a
 * safepoint; when the thread is parked, or about to enter the kernel for the application. */
static inline bool stops_wanted(const struct thread *thread) {
  return thread->stop_signal ||
         atomic_load_explicit(&thread->rthread->stops, memory_order_relaxed) == STOP_ASKED;
}
void stops_at_safepoint(struct thread *thread);
void stops_parked(struct thread *thread);
/* The same in the kernel's handler. *mask is the kernel's from its return on. */
void stops_kicked(struct thread *thread, uint64_t *mask);
/* True if the thread's process is stopped: none of its threads runs the program or the engine. */
bool stops_done(int32_t tid);

/* The process of the sphere that has the id, or a thread with it; 0: there is none. */
int32_t process_of(int32_t id);
/* True if the call is a tracer's, and stops the thread that it names. */
bool call_stops_tracee(const struct call *call);
/* … and lets that thread run on until its next event. A thread that is continued with a signal is about to stop again. */
bool call_continues_tracee(const struct call *call);
/* The signal that the call sends the caller, which may not survive it; 0: none. */
int call_sends_itself(const struct thread *thread, const struct call *call);
/* The signal that a call sends, and its target as kill(2) names it; 0: none. */
int call_sends(const struct call *call, int32_t *to);
/* The signal by which a call ends the caller's own process at once, if it succeeds: a thread that may take it does not catch or
 * block it. 0: there is none; SIGKILL is not reported. */
int call_is_fatal(const struct thread *thread, const struct call *call);
/* Calls `act` for the processes of the sphere that the signal reaches, except the caller's. */
void call_reaches_others(const struct thread *thread, int32_t to, void (*act)(int32_t pid, void *context),
                         void *context);

/* How a call affects stops of other threads. */
enum stops_kind {
  STOPS_NONE,
  STOPS_OTHERS,    /* it sends processes of the sphere SIGSTOP … */
  STOPS_ITSELF,    /* … the caller's among them */
  STOPS_CATCHABLE, /* it sends another stop, or SIGCONT */
  STOPS_TRACED,    /* it stops a thread of the sphere for its tracer, or lets it go */
};
enum stops_kind stops_kind(const struct thread *thread, const struct call *call);
/* Around a call of these kinds, made with the baton in hand; if it stops the caller, the baton is given up in between. */
void stops_before(struct thread *thread, const struct call *call, enum stops_kind kind);
void stops_after(struct thread *thread, const struct call *call, enum stops_kind kind, long result);
/* In parallel: keeps all threads of another process parked, also those born meanwhile, and releases them. Only one thread at a time may do so:
 * two processes would hold each other for ever. */
void stops_begin_writing(struct thread *thread, int32_t pid);
void stops_end_writing(void);
/* In parallel: true if the thread must stay parked, for a tracer or a process that writes its memory; waits until it need not. */
bool stops_is_held(const struct rthread *rthread);
void stops_stay(struct thread *thread);

#endif

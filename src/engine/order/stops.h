/* stops.h: recorded processes that are stopped (stops.c), in a sphere whose threads hand on the baton (stops_baton.c), and in parallel
 * (stops_parallel.c). */
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
  return thread->record.stop_signal ||
         atomic_load_explicit(&thread->rthread->stops.state, memory_order_relaxed) == STOP_ASKED;
}
void stops_at_safepoint(struct thread *thread);
void stops_parked(struct thread *thread);
/* The same in the kernel's handler. *mask is the kernel's from its return on. */
void stops_kicked(struct thread *thread, uint64_t *mask);
/* True if the thread's process is stopped: none of its threads runs the program or the engine. */
bool stops_done(int32_t tid);

/* True if the call is a tracer's, and stops the thread that it names. */
bool call_stops_tracee(const struct call *call);
/* … and lets that thread run on until its next event. A thread that is continued with a signal is about to stop again. */
bool call_continues_tracee(const struct call *call);
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

/* -- What both kinds of stops have in common ------------------------------------------------------------------------------------ */

/* The state of a process in /proc. */
struct stop_look {
  unsigned threads;
  unsigned running;  /* … that may be in the engine or the program this moment */
  unsigned stopped;  /* if there is one, no other comes back from the kernel */
  unsigned handling; /* running with stops blocked: perhaps in the handler of one */
  bool pending;      /* SIGSTOP is */
};
struct stop_look stop_look(int32_t pid);
/* A thread of it waits for the child of a vfork: the kernel stops that thread at any time. */
bool stop_waits_for_child(int32_t pid);

/* A thread without a waiting stop signal unblocks the stop signals that the program does not block. If everything is blocked, the code that
 * blocked it restores the program's mask in the end. */
uint64_t stop_open_mask(const struct thread *thread, uint64_t mask);
/* Stops the process by the pending signal, so that its parent learns which signal it was; returns when the process is continued, at once if
 * SIGCONT came first. */
void stop_obey(const struct thread *thread, int signo);
/* Passes the signal to another thread of the process, which has to obey it. */
void stop_pass_to(const struct thread *thread, const struct rthread *other, int signo);

/* The operations of region/turns.h that concern stops. */
void baton_stop_came(struct thread *thread);
void baton_before_job_signal(int32_t pid);
void baton_before_stop(struct thread *thread, int32_t to, bool itself);
void baton_after_stop(struct thread *thread, int32_t to, bool itself);
void baton_before_trace(struct thread *thread, const struct call *call, struct rthread *tracee);
void baton_after_trace(const struct call *call, struct rthread *tracee, long result);
void parallel_before_job_signal(int32_t pid);
void parallel_before_stop(struct thread *thread, int32_t to, bool itself);
void parallel_after_stop(struct thread *thread, int32_t to, bool itself);
void parallel_before_trace(struct thread *thread, const struct call *call, struct rthread *tracee);
void parallel_after_trace(const struct call *call, struct rthread *tracee, long result);

#endif

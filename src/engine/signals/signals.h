/* signals.h: the application's signals (signals.c).
 *
 * The kernel holds the real masks and queues; its handler for every signal that the application handles is ours, and
 * for the synchronous ones (SEGV, BUS, ILL, FPE, TRAP, SYS) always ours. A signal that arrives is put into
 * thread->queued, everything asynchronous is blocked, and it is delivered at the next safepoint. */
#ifndef REPRISE_ENGINE_SIGNALS_H
#define REPRISE_ENGINE_SIGNALS_H

#include "engine/base/arch_host.h"

/* Process start: handlers, dispositions, mask as inherited; in a sphere the latter from signals_let_in on. */
void signals_init(struct thread *first);
/* On the new thread: its kernel signal stack. */
void signals_init_thread(struct thread *thread);
/* The memory of a replaying process was put into another: tells the kernel its handlers and the thread's signal stack. */
void signals_begin_again(struct thread *thread);
void signal_arrived(int signo, siginfo_t *info, struct ucontext *uc);
/* At a safepoint with thread->queued set: builds the application's frame, or takes the default action; end: the one that ends the process. It
 * returns if the process is spared. */
typedef void signals_end(struct thread *thread, const struct queued_signal *signal);
void signals_deliver(struct thread *thread, signals_end *end);
/* A fault of the application has been queued: it gets a position of its own, before any request is served, because a requester
 * may take the cause of the fault away. */
void signals_after_fault(struct thread *thread);
/* The caller has sent its own process a signal that ends it, which another thread may have got: queues it before the caller goes on. */
void signals_end_at_once(struct thread *thread, int signo);
/* As signals_raise, for a pc whose instruction can't be fetched because of the byte at address. */
void signals_raise_fetch(struct thread *thread, uintptr_t address);
/* System calls of signals: actions, masks, waits for signals, waits with a mask of their own, sigreturn. */
bool signals_call(struct thread *thread, const struct call *call, long *result);

/* Replay: if the call waits under a mask of its own, sets thread->wait_mask to that mask. */
void signals_note_wait_mask(struct thread *thread, const struct call *call);

/* The signals that the application ignores. */
uint64_t signals_ignored(struct thread *thread);

/* Blocks everything while the thread's state is not fit for a handler. False (and nothing blocked that was not before)
 * when a signal is already queued: the call at hand must then be given up with CALL_INTERRUPTED. */
bool signals_hold_off(struct thread *thread);
void signals_let_in(struct thread *thread);

/* The actions of a new process or thread group: shared (CLONE_SIGHAND) or copied. */
struct signal_actions *signals_share_actions(struct signal_actions *actions);
struct signal_actions *signals_copy_actions(struct signal_actions *from);
void signals_drop_actions(struct signal_actions *actions);
/* CLONE_CLEAR_SIGHAND: handled signals back to their default. */
void signals_clear_handlers(struct thread *thread);
void signals_before_fork(struct thread *thread);
void signals_after_fork(struct thread *thread, bool child);

/* Before execve: dispositions and mask as the new program must inherit them. It must go through arch_blocking_call (a
 * signal may be queued); no access to application memory in between. */
void signals_before_exec(struct thread *thread);
void signals_exec_failed(struct thread *thread);

#if defined(REPRISE_STRESS_SIGNALS)
void signals_stress(struct thread *thread); /* at a safepoint: a signal comes and goes */
bool signals_stress_call(void);             /* before a system call: whether it is to be interrupted */
#else
static inline void signals_stress(struct thread *thread) {
  (void)thread;
}
static inline bool signals_stress_call(void) {
  return false;
}
#endif

#endif

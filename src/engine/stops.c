/* stops.c: a recorded process is stopped from the terminal.
 *
 * The kernel would stop it on the spot, with the baton in its hands: whoever is to continue it, a shell of the same sphere,
 * would wait for the baton for ever. So the default action of these signals is our handler, and the process stops when none of its
 * threads has the baton or the region's lock. Nothing is logged: that it was stopped shows in what others are told.
 *
 * Known limit. SIGSTOP can't be caught. Sent from outside the sphere to a process that runs, it stops the sphere. */
#include "engine/stops.h"

#include "engine/lib.h"
#include "engine/rings.h"
#include "engine/signal_state.h"

/* Stops the process, by the signal itself so that its parent is told which it was; returns when it goes on. */
static void stop(int signo) {
  struct action standard = {0}, own;
  uint64_t only = SIGNAL_BIT(signo), old;
  os_call4(__NR_rt_sigaction, signo, &standard, &own, sizeof own.mask);
  os_call3(__NR_tgkill, os_call0(__NR_getpid), os_call0(__NR_gettid), signo);
  os_call4(__NR_rt_sigprocmask, SIG_UNBLOCK, &only, &old, sizeof old);
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, &old, 0, sizeof old);
  os_call4(__NR_rt_sigaction, signo, &own, 0, sizeof own.mask);
}

void stops_arrived(struct thread *thread, int signo) {
  uint32_t slot = atomic_load(&region->holder);
  const struct rthread *holder = slot ? &region->slots[slot - 1] : NULL;
  thread->disturbed = true;
  /* With nobody to wait for the baton, it does no harm in the hands of one who is stopped. */
  bool others = atomic_load(&region->live) > 1;
  if (others && holder && holder != thread->rthread && holder->pid == thread->rthread->pid) {
    os_call3(__NR_tgkill, holder->pid, holder->tid, signo);
  } else if (thread->in_region || (others && holder == thread->rthread)) {
    thread->stop_signal = signo;
    arch_request(thread);
  } else {
    stop(signo);
  }
}

void stops_serve(struct thread *thread) {
  int signo = thread->stop_signal;
  if (!signo) return;
  thread->stop_signal = 0;
  stop(signo);
}

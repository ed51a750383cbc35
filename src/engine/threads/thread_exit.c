/* thread_exit.c: how threads and processes end.
 *
 * The engine makes the kernel's writes to application memory at a thread's end before the kernel (border/thread_words.h). The kernel's
 * own exit then only wakes the waiter for the thread's id and clears kernel_tid. */
#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/slots.h"
#include "engine/border/sphere.h"
#include "engine/border/thread_words.h"
#include "engine/code/code.h"
#include "engine/code/lasting.h"
#include "engine/order/permissions.h"
#include "engine/order/thread_order.h"
#include "engine/region/turns.h"
#include "engine/signals/core_files.h"
#include "engine/signals/signal_state.h"
#include "engine/threads/threads.h"
#include "engine/view/descriptors.h"

/* -- The end --------------------------------------------------------------------------------------------- */

static void print_counters(void) {
  if (config.counters && process_is_alone()) counters_print(engine_fd + FD_COUNTERS);
}

/* From here on the thread takes no signal but faults of its own, at addresses that the application has left in its lists. A signal of these kinds that
 * a process sends meanwhile is held, and goes to other threads of the process if it was sent to the process. */
static void take_faults_only(void) {
  kernel_set_mask(~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS)));
}

static void pass_on_held(struct thread *thread) {
  kernel_set_mask(ALL_SIGNALS);
  for (uint64_t rest = thread->signals.held; rest && !replaying(); rest &= rest - 1) {
    int signo = __builtin_ctzl(rest) + 1;
    const siginfo_t *info = held_info(thread, signo);
    if (info->si_code == SI_USER || info->si_code == SI_QUEUE)
      os_call3(__NR_rt_sigqueueinfo, os_call0(__NR_getpid), signo, info);
  }
}

/* Everything is blocked already. */
void thread_exit(struct thread *thread, int status) {
  struct process *process = thread->process;
  take_faults_only();
  LOG(threads, "exits with %d", status);
  if (process->users == 1) print_counters();
  if (process->users == 1) lasting_save();
  lock_take(&threads_lock);
  bool only = threads == thread && !thread->next;
  lock_release(&threads_lock);
  thread_leave_robust_list(thread);
  slot_give_back(thread);
  thread_delist(thread);
  /* In order with the other threads, which ask whether they are alone. */
  bool last = process_leave(process);
  /* Last, so that a thread that waited for the end finds as little left of this one as can be. The last
   * user of an address space leaves its word as it is, as in the kernel. */
  if (!only) thread_announce_end(thread);
  if (in_sphere()) sphere_thread_end(thread, status);
  if (thread->signals.held) pass_on_held(thread);
  if (last) process_free(process);
  arch_exit_thread(status);
}

void process_exit(struct thread *thread, int status) {
  LOG(threads, "process exits with %d", status);
  print_counters();
  lasting_save();
  bool alone = process_is_alone();
  if (!alone && signals_hold_off(thread)) take_faults_only();
  if (!alone || in_sphere()) thread_leave_robust_list(thread);
  if (!alone && !in_sphere()) thread_announce_end(thread);
  if (in_sphere()) sphere_process_end(thread, status, 0);
  os_call1(__NR_exit_group, status);
  __builtin_unreachable();
}

void process_die_of(struct thread *thread, const struct queued_signal *signal) {
  struct action standard = {0};
  LOG(signals, "%d is fatal", signal->signo);
  if (in_sphere()) {
    if (replaying()) turns->gate(thread);
    thread_leave_robust_list(thread);
    sphere_process_end(thread, 0, signal->signo);
    /* The manager does not need to know how the other processes end. */
    while (replaying()) os_call1(__NR_exit_group, 128 + signal->signo);
  }
  os_call4(__NR_rt_sigaction, signal->signo, &standard, 0, sizeof standard.mask);
  if (core_signals() & SIGNAL_BIT(signal->signo)) core_die(thread, signal);
  send_again(thread, signal->signo, &signal->info);
  kernel_set_mask(~SIGNAL_BIT(signal->signo));
  /* Still alive: the first process of a pid namespace is spared its own fatal signals. A fault can't be
   * survived. */
  kernel_set_action(signal->signo, &thread->process->actions->of[signal->signo]);
  if (signal->synchronous) os_call1(__NR_exit_group, 128 + signal->signo);
}

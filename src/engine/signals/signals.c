/* signals.c: the state behind the application's signals: actions, masks, alternate stacks, and the effects
 * of fork and exec on them.
 *
 * The kernel's dispositions mirror the application's: default and ignore are passed on, a handler becomes
 * ours with the flags that the kernel acts upon by itself (restart, child stops, zombies). The six
 * synchronous signals always have our handler, because the engine needs their faults: only the engine knows
 * whether the application ignores or blocks them, and one that is sent while blocked is held in
 * the thread. While recording our handler also takes signals that would end the process or, from the terminal,
 * stop it. */
#include "engine/signals/signals.h"

#include "engine/base/arena.h"
#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/order/stops.h"
#include "engine/region/turns.h"
#include "engine/signals/core_files.h"
#include "engine/signals/signal_state.h"

enum { FLAGS_FOR_KERNEL = SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT };

/* -- The kernel's side ----------------------------------------------------------------------------------- */

void kernel_set_action(int signo, const struct action *wanted) {
  if (replaying() && !(SIGNAL_BIT(signo) & SYNCHRONOUS)) return; /* none comes but by the log */
  bool handled = wanted->handler != HANDLER_DEFAULT && wanted->handler != HANDLER_IGNORE;
  struct action action = *wanted;
  bool acts = (stops_handled(signo) || ends_in_turn(signo)) && wanted->handler == HANDLER_DEFAULT;
  if (handled || acts || SIGNAL_BIT(signo) & SYNCHRONOUS) {
    /* A synchronous signal without a handler must not end a wait that it would not have ended. */
    unsigned long flags = handled ? wanted->flags & FLAGS_FOR_KERNEL : SA_RESTART;
    action = (struct action){(uintptr_t)arch_signal_entry, flags | SA_SIGINFO | SA_ONSTACK | SA_RESTORER,
                             (uintptr_t)arch_signal_restorer, ALL_SIGNALS};
  }
  os_call4(__NR_rt_sigaction, signo, &action, 0, sizeof action.mask);
}

void kernel_set_mask(uint64_t mask) {
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
}

void send_again(struct thread *thread, int signo, const siginfo_t *info) {
  long pid = thread->process->pid, tid = thread->tid;
  if (replaying()) return; /* signals come by the log alone */
  long sent = os_call4(__NR_rt_tgsigqueueinfo, pid, tid, signo, info);
  if (os_failed(sent)) os_call3(__NR_tgkill, pid, tid, signo);
}

/* -- Masks ----------------------------------------------------------------------------------------------- */

bool signals_hold_off(struct thread *thread) {
  kernel_set_mask(ALL_SIGNALS);
  if (!thread->signals.queued.signo) return true;
  kernel_set_mask(ASYNCHRONOUS);
  return false;
}

void signals_let_in(struct thread *thread) {
  kernel_set_mask(thread->signals.queued.signo ? ASYNCHRONOUS : thread->signals.mask & ASYNCHRONOUS);
}

siginfo_t *held_info(struct thread *thread, int signo) {
  unsigned before = 0;
  for (uint64_t rest = SYNCHRONOUS & (SIGNAL_BIT(signo) - 1); rest; rest &= rest - 1) before++;
  return &thread->signals.held_info[before];
}

bool queue_held(struct thread *thread, uint64_t mask) {
  if (!(thread->signals.held & ~mask) || !signals_hold_off(thread)) return false;
  int signo = __builtin_ctzl(thread->signals.held & ~mask) + 1;
  thread->signals.held &= ~SIGNAL_BIT(signo);
  thread->signals.queued = (struct queued_signal){.signo = signo, .info = *held_info(thread, signo)};
  arch_set_signal_queued(thread, true);
  arch_request(thread);
  kernel_set_mask(ASYNCHRONOUS);
  return true;
}

void change_mask(struct thread *thread, uint64_t mask) {
  thread->signals.mask = mask & ~UNBLOCKABLE;
  if (signals_hold_off(thread)) {
    signals_let_in(thread);
  } else if (thread->signals.mask & SIGNAL_BIT(thread->signals.queued.signo)) {
    /* The signal came under the old mask; under the new one it waits in the kernel, as if it had come a
     * moment later. */
    kernel_set_mask(ALL_SIGNALS);
    send_again(thread, thread->signals.queued.signo, &thread->signals.queued.info);
    thread->signals.queued.signo = 0;
    arch_set_signal_queued(thread, false);
    signals_let_in(thread);
  }
  queue_held(thread, thread->signals.mask);
}

/* -- The alternate stack --------------------------------------------------------------------------------- */

bool on_altstack(const struct thread *thread, uintptr_t sp) {
  /* A stack that disarms itself is never seen as in use: while a handler runs there, it is not set. */
  if ((unsigned)thread->signals.altstack.ss_flags & SS_AUTODISARM) return false;
  uintptr_t start = (uintptr_t)thread->signals.altstack.ss_sp;
  return sp > start && sp - start <= thread->signals.altstack.ss_size;
}

long change_altstack(struct thread *thread, const stack_t *wanted) {
  if (on_altstack(thread, arch_sp(thread))) return -EPERM;
  unsigned mode = (unsigned)wanted->ss_flags & ~SS_AUTODISARM;
  if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0) return -EINVAL;
  stack_t stack = {.ss_sp = wanted->ss_sp, .ss_flags = wanted->ss_flags, .ss_size = wanted->ss_size};
  if (mode == SS_DISABLE) {
    stack.ss_sp = NULL;
    stack.ss_size = 0;
  } else if (stack.ss_size < MINSIGSTKSZ) {
    return -ENOMEM;
  }
  thread->signals.altstack = stack;
  return 0;
}

/* -- Actions --------------------------------------------------------------------------------------------- */

struct signal_actions *signals_share_actions(struct signal_actions *actions) {
  atomic_fetch_add(&actions->users, 1);
  return actions;
}

struct signal_actions *signals_copy_actions(struct signal_actions *from) {
  struct signal_actions *copy = arena_alloc(sizeof *copy);
  lock_take(&from->lock);
  memcpy(copy->of, from->of, sizeof copy->of);
  lock_release(&from->lock);
  copy->users = 1;
  return copy;
}

void signals_drop_actions(struct signal_actions *actions) {
  if (atomic_fetch_sub(&actions->users, 1) == 1) arena_free(actions, sizeof *actions);
}

void signals_clear_handlers(struct thread *thread) {
  struct signal_actions *actions = thread->process->actions;
  for (int signo = 1; signo <= SIGNAL_COUNT; signo++) {
    if (actions->of[signo].handler == HANDLER_IGNORE) continue;
    actions->of[signo] = (struct action){0};
    if (!(SIGNAL_BIT(signo) & UNBLOCKABLE)) kernel_set_action(signo, &actions->of[signo]);
  }
}

/* -- Threads and processes come and go ------------------------------------------------------------------- */

void signals_init_thread(struct thread *thread) {
  stack_t stack = {.ss_sp = (char *)thread + SLOT_SIGNAL_STACK, .ss_size = SLOT_SIGNAL_STACK_SIZE};
  long result = os_call2(__NR_sigaltstack, &stack, 0);
  CHECK(result == 0);
}

uint64_t signals_ignored(struct thread *thread) {
  uint64_t ignored = 0;
  for (int signo = 1; signo <= SIGNAL_COUNT; signo++)
    if (thread->process->actions->of[signo].handler == HANDLER_IGNORE) ignored |= SIGNAL_BIT(signo);
  return ignored;
}

/* In replay the program inherits the state of the recording, not the kernel's. */
static void inherit_recorded(struct thread *first) {
  struct signal_actions *actions = first->process->actions;
  first->signals.mask = config.mask;
  for (int signo = 1; signo <= SIGNAL_COUNT; signo++)
    actions->of[signo] =
        (struct action){.handler = config.ignored & SIGNAL_BIT(signo) ? HANDLER_IGNORE : HANDLER_DEFAULT};
}

uint64_t signals_for_core;

/* In replay no process waits for children: the log answers such calls. */
static void leave_no_zombies(void) {
  struct action ignore = {.handler = HANDLER_IGNORE};
  os_call4(__NR_rt_sigaction, SIGCHLD, &ignore, 0, sizeof ignore.mask);
}

void signals_init(struct thread *first) {
  if (!in_sphere()) signals_for_core = core_signals();
  struct signal_actions *actions = arena_alloc(sizeof *actions);
  actions->users = 1;
  first->process->actions = actions;
  first->signals.altstack.ss_flags = SS_DISABLE;
  signals_init_thread(first);
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, 0, &first->signals.mask, sizeof first->signals.mask);
  if (recording() && !config.first) first->signals.mask = config.mask; /* the kernel's has our own in it */
  for (int signo = 1; signo <= SIGNAL_COUNT; signo++) {
    os_call4(__NR_rt_sigaction, signo, 0, &actions->of[signo], sizeof actions->of[signo].mask);
    if (SIGNAL_BIT(signo) & SYNCHRONOUS || stops_handled(signo) || ends_in_turn(signo))
      kernel_set_action(signo, &actions->of[signo]);
  }
  if (replaying()) {
    inherit_recorded(first);
    leave_no_zombies();
  }
  /* In a sphere no signal can be served before the thread has its slot there: those from other threads included. */
  if (in_sphere())
    kernel_set_mask(ASYNCHRONOUS | SIGNAL_BIT(SIGSYS));
  else
    signals_let_in(first);
}

void signals_begin_again(struct thread *thread) {
  signals_init_thread(thread);
  for (int signo = 1; signo <= SIGNAL_COUNT; signo++)
    if (SIGNAL_BIT(signo) & SYNCHRONOUS) kernel_set_action(signo, &thread->process->actions->of[signo]);
  leave_no_zombies();
}

void signals_before_fork(struct thread *thread) {
  lock_take(&thread->process->actions->lock);
}

void signals_after_fork(struct thread *thread, bool child) {
  struct signal_actions *actions = thread->process->actions;
  lock_release(&actions->lock);
  if (!child) return;
  actions->users = 1;
  thread->signals.held = 0; /* pending signals are not inherited */
}

/* The kernel itself turns our handlers into the default; it must be told only the signals that the application ignores. */
void signals_before_exec(struct thread *thread) {
  kernel_set_mask(ALL_SIGNALS);
  struct signal_actions *actions = thread->process->actions;
  lock_take(&actions->lock);
  for (uint64_t rest = SYNCHRONOUS; rest; rest &= rest - 1) {
    int signo = __builtin_ctzl(rest) + 1;
    struct action ignore = {.handler = HANDLER_IGNORE};
    if (actions->of[signo].handler == HANDLER_IGNORE)
      os_call4(__NR_rt_sigaction, signo, &ignore, 0, sizeof ignore.mask);
  }
  lock_release(&actions->lock);
  for (; thread->signals.held; thread->signals.held &= thread->signals.held - 1) {
    int signo = __builtin_ctzl(thread->signals.held) + 1;
    send_again(thread, signo, held_info(thread, signo));
  }
  /* The next program has the baton before it has our handlers, and other threads may ask it by a signal to come to a safepoint. */
  uint64_t early = recording() && thread->rthread ? FROM_TERMINAL : 0;
  if (early) early |= ~(SYNCHRONOUS | HARMLESS);
  /* The manager signals threads, too. */
  if (replaying() || (in_sphere() && thread->rthread && !turns->alone)) early |= SIGNAL_BIT(SIGSYS);
  kernel_set_mask((thread->signals.queued.signo ? ASYNCHRONOUS : thread->signals.mask) | early);
}

void signals_exec_failed(struct thread *thread) {
  kernel_set_mask(ALL_SIGNALS);
  struct signal_actions *actions = thread->process->actions;
  lock_take(&actions->lock);
  for (uint64_t rest = SYNCHRONOUS; rest; rest &= rest - 1) {
    int signo = __builtin_ctzl(rest) + 1;
    if (actions->of[signo].handler == HANDLER_IGNORE) kernel_set_action(signo, &actions->of[signo]);
  }
  lock_release(&actions->lock);
  signals_let_in(thread);
}

/* signal_calls.c: the system calls about signals.
 *
 * Each checks its arguments in the kernel's order, so that a program that gets several of them wrong sees the
 * error it would have seen. */
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/code/code.h"
#include "engine/signals/kernel_call.h"
#include "engine/signals/signal_state.h"

enum { MASK_SIZE = sizeof(uint64_t) };

/* The sa_flags that the kernel keeps; it clears the rest, so that a program can find out which are supported. */
#define KNOWN_FLAGS                                                                                 \
  (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_RESETHAND | \
   SA_EXPOSE_TAGBITS | SA_RESTORER)

static long read_app(void *to, long from, size_t bytes) {
  return safe_copy(to, (const void *)from, bytes);
}

static long write_app(long to, const void *from, size_t bytes) {
  return copy_to_app((uintptr_t)to, from, bytes);
}

/* -- Actions --------------------------------------------------------------------------------------------- */

static long call_sigaction(struct thread *thread, const long *args) {
  int signo = (int)args[0];
  struct action wanted;
  if (args[3] != MASK_SIZE) return -EINVAL;
  if (args[1] && read_app(&wanted, args[1], sizeof wanted)) return -EFAULT;
  if (signo < 1 || signo > SIGNAL_COUNT) return -EINVAL;
  if (args[1] && SIGNAL_BIT(signo) & UNBLOCKABLE) return -EINVAL;

  struct signal_actions *actions = thread->process->actions;
  lock_take(&actions->lock);
  struct action old = actions->of[signo];
  if (args[1]) {
    wanted.flags &= KNOWN_FLAGS;
    wanted.mask &= ~UNBLOCKABLE;
    actions->of[signo] = wanted;
    kernel_set_action(signo, &wanted);
    if (wanted.handler == HANDLER_IGNORE) thread->signals.held &= ~SIGNAL_BIT(signo);
  }
  lock_release(&actions->lock);
  return args[2] ? write_app(args[2], &old, sizeof old) : 0;
}

/* -- Masks and what is pending --------------------------------------------------------------------------- */

static long call_sigprocmask(struct thread *thread, const long *args) {
  int how = (int)args[0];
  uint64_t old = thread->signals.mask, set, mask;
  if (args[3] != MASK_SIZE) return -EINVAL;
  if (args[1]) {
    if (read_app(&set, args[1], sizeof set)) return -EFAULT;
    if (how == SIG_BLOCK)
      mask = old | set;
    else if (how == SIG_UNBLOCK)
      mask = old & ~set;
    else if (how == SIG_SETMASK)
      mask = set;
    else
      return -EINVAL;
    mask &= ~UNBLOCKABLE;
    /* Signals that the new mask lets in arrive when this call returns; those that came before it are delivered first. */
    uint64_t for_kernel = mask & ASYNCHRONOUS;
    struct call call = {__NR_rt_sigprocmask, {SIG_SETMASK, (long)&for_kernel, 0, MASK_SIZE}};
    long result = arch_blocking_call(thread, &call);
    if (result) return result;
    thread->signals.mask = mask;
    queue_held(thread, mask);
  }
  return args[2] ? write_app(args[2], &old, sizeof old) : 0;
}

static long call_sigpending(struct thread *thread, const long *args) {
  size_t size = (size_t)args[1];
  if (size > MASK_SIZE) return -EINVAL;
  uint64_t pending;
  struct call call = {__NR_rt_sigpending, {(long)&pending, MASK_SIZE}};
  long result = arch_blocking_call(thread, &call);
  if (result) return result;
  pending |= thread->signals.held & thread->signals.mask;
  return write_app(args[0], &pending, size);
}

/* -- Waits ----------------------------------------------------------------------------------------------- */

/* Calls that wait under a mask of their own: which argument points to it and which is its size; or, where
 * there were too many arguments, which one points to a pair of both. */
static const struct mask_argument {
  int nr;
  int mask, size; /* size -1: a pair */
} mask_arguments[] = {
    {__NR_rt_sigsuspend, 0, 1}, {__NR_ppoll, 3, 4},     {__NR_epoll_pwait, 4, 5},
    {__NR_epoll_pwait2, 4, 5},  {__NR_pselect6, 5, -1}, {__NR_io_pgetevents, 5, -1},
};

struct mask_pair {
  long mask, size;
};

static const struct mask_argument *find_mask_argument(long nr) {
  for (size_t i = 0; i < COUNT_OF(mask_arguments); i++)
    if (mask_arguments[i].nr == nr) return &mask_arguments[i];
  return NULL;
}

/* The kernel gets a copy of the mask that lets the synchronous signals through. */
static long wait_with_mask(struct thread *thread, const struct call *call,
                           const struct mask_argument *where) {
  struct mask_pair pair = {call->args[where->mask], 0};
  if (where->size >= 0)
    pair.size = call->args[where->size];
  else if (pair.mask && read_app(&pair, pair.mask, sizeof pair))
    return -EFAULT;
  uint64_t mask;
  /* Without a mask there is nothing to do here, and a bad one the kernel refuses. */
  if (!pair.mask || pair.size != MASK_SIZE || read_app(&mask, pair.mask, sizeof mask))
    return syscall_in_kernel(thread, call);

  struct call inner = *call;
  uint64_t for_kernel = mask & ASYNCHRONOUS;
  pair.mask = (long)&for_kernel;
  inner.args[where->mask] = where->size >= 0 ? pair.mask : (long)&pair;
  long result = -EINTR;
  if (!queue_held(thread, mask)) {
    thread->signals.wait_mask = mask;
    thread->signals.waiting = true;
    result = syscall_in_kernel(thread, &inner);
    thread->signals.waiting = false;
  }
  if (result == -EINTR && thread->signals.queued.signo) {
    thread->signals.queued.ended_wait = true;
    thread->signals.queued.wait_mask = mask;
  }
  return result;
}

void signals_note_wait_mask(struct thread *thread, const struct call *call) {
  const struct mask_argument *where = find_mask_argument(call->nr);
  if (!where) return;
  struct mask_pair pair = {call->args[where->mask], 0};
  if (where->size < 0 && (!pair.mask || read_app(&pair, pair.mask, sizeof pair))) return;
  if (pair.mask) read_app(&thread->signals.wait_mask, pair.mask, sizeof thread->signals.wait_mask);
}

static long take_held(struct thread *thread, uint64_t set, long info) {
  int signo = __builtin_ctzl(thread->signals.held & set) + 1;
  thread->signals.held &= ~SIGNAL_BIT(signo);
  if (info && write_app(info, held_info(thread, signo), sizeof(siginfo_t))) return -EFAULT;
  return signo;
}

static void nothing_queued(struct thread *thread) {
  if (!signals_hold_off(thread)) return;
  arch_set_signal_queued(thread, false);
  signals_let_in(thread);
}

static long call_sigtimedwait(struct thread *thread, const struct call *call) {
  uint64_t set;
  if (call->args[3] != MASK_SIZE || read_app(&set, call->args[0], sizeof set))
    return arch_blocking_call(thread, call);
  if (!(set & SYNCHRONOUS)) return syscall_in_kernel(thread, call);
  long result;
  thread->signals.awaited = set & SYNCHRONOUS;
  /* A held signal that comes before the kernel is entered ends the call without anything being queued. */
  do {
    nothing_queued(thread);
    result =
        thread->signals.held & set ? take_held(thread, set, call->args[1]) : syscall_in_kernel(thread, call);
  } while (result == CALL_INTERRUPTED && !thread->signals.queued.signo);
  thread->signals.awaited = 0;
  nothing_queued(thread);
  return result;
}

/* -- Frames and stacks ----------------------------------------------------------------------------------- */

static long call_sigreturn(struct thread *thread) {
  if (thread->signals.queued.signo) return CALL_INTERRUPTED;
  uint64_t mask;
  stack_t altstack;
  if (arch_pop_frame(thread, &mask, &altstack)) {
    LOG(signals, "bad frame at %lx", arch_sp(thread));
    signals_raise(thread, SIGSEGV, SI_KERNEL, 0);
    return CALL_DONE;
  }
  (void)change_altstack(thread, &altstack); /* a stack that can't be set stays as it is */
  change_mask(thread, mask);
  LOG(signals, "returned to %lx, mask %lx", arch_pc(thread), thread->signals.mask);
  return CALL_DONE;
}

static long call_sigaltstack(struct thread *thread, const long *args) {
  stack_t wanted, old = thread->signals.altstack;
  if (args[0] && read_app(&wanted, args[0], sizeof wanted)) return -EFAULT;
  unsigned in_use = on_altstack(thread, arch_sp(thread)) ? SS_ONSTACK : 0;
  old.ss_flags = (int)((old.ss_size ? in_use : SS_DISABLE) | ((unsigned)old.ss_flags & SS_AUTODISARM));
  long result = args[0] ? change_altstack(thread, &wanted) : 0;
  return !result && args[1] ? write_app(args[1], &old, sizeof old) : result;
}

/* -- Sending --------------------------------------------------------------------------------------------- */

static long call_sigqueueinfo(struct thread *thread, const struct call *call, int signo) {
  thread->signals.sending = signo;
  long result = arch_blocking_call(thread, call);
  thread->signals.sending = 0;
  return result;
}

bool signals_call(struct thread *thread, const struct call *call, long *result) {
  const struct mask_argument *where = find_mask_argument(call->nr);
  if (where) {
    *result = wait_with_mask(thread, call, where);
    return true;
  }
  switch (call->nr) {
    case __NR_rt_sigaction:
      *result = call_sigaction(thread, call->args);
      return true;
    case __NR_rt_sigprocmask:
      *result = call_sigprocmask(thread, call->args);
      return true;
    case __NR_rt_sigpending:
      *result = call_sigpending(thread, call->args);
      return true;
    case __NR_rt_sigtimedwait:
      *result = call_sigtimedwait(thread, call);
      return true;
    case __NR_rt_sigreturn:
      *result = call_sigreturn(thread);
      return true;
    case __NR_sigaltstack:
      *result = call_sigaltstack(thread, call->args);
      return true;
    case __NR_rt_sigqueueinfo:
      *result = call_sigqueueinfo(thread, call, (int)call->args[1]);
      return true;
    case __NR_rt_tgsigqueueinfo:
      *result = call_sigqueueinfo(thread, call, (int)call->args[2]);
      return true;
    default:
      return false;
  }
}

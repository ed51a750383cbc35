/* processes.c: clone in all its forms, and tracing.
 *
 * Two cases. With shared memory (threads, vfork) the child gets a slot of its own and starts on that
 * slot's engine stack; a thread of this process and a process in the same memory differ only in the
 * state that they share. Without (fork) the child is a copy of everything and goes on where the parent stood, on
 * the same engine stack; all locks are held meanwhile, so that no other thread's half-done work is copied.
 *
 * Locks are taken in the order in which they nest elsewhere: the cache, threads, signal actions, mappings,
 * the arena. */
#include <linux/sched.h>
#include <linux/signal.h>

#include "engine/base/arena.h"
#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/slots.h"
#include "engine/border/sphere.h"
#include "engine/border/thread_words.h"
#include "engine/code/lasting.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/memory/mappings.h"
#include "engine/order/thread_order.h"
#include "engine/order/stops.h"
#include "engine/signals/signals.h"
#include "engine/threads/threads.h"

struct request {
  uint64_t flags; /* CLONE_*, without the exit signal */
  int exit_signal;
  uintptr_t stack; /* the child's stack pointer, 0: as the parent's */
  uintptr_t pidfd, parent_tid, child_tid, tls;
  const struct clone_args *extended; /* of clone3, else NULL */
};

/* -- Shared memory --------------------------------------------------------------------------------------- */

/* Sets the child's initial state besides its registers. */
static void prepare_child(struct thread *child, struct thread *parent, const struct request *request) {
  arch_copy_context(child, parent);
  if (request->stack) arch_set_sp(child, request->stack);
  arch_set_result(child, 0);
  child->signals.mask = parent->signals.mask;
  child->judged = parent->judged;
  child->signals.altstack.ss_flags = SS_DISABLE;
  if (request->flags & CLONE_VFORK) child->signals.altstack = parent->signals.altstack;
  if (request->flags & CLONE_CHILD_SETTID) child->life.set_child_tid = request->child_tid;
  if (request->flags & CLONE_CHILD_CLEARTID) child->life.clear_child_tid = request->child_tid;
  child->life.clear_handlers = request->flags & CLONE_CLEAR_SIGHAND;
  struct process *process = parent->process;
  if (request->flags & CLONE_THREAD) {
    atomic_fetch_add(&process->users, 1);
    child->process = process;
  } else {
    child->life.separate = true;
    child->life.borrows = request->flags & CLONE_VFORK;
    bool share = request->flags & CLONE_SIGHAND;
    struct signal_actions *actions = process->actions;
    child->process = process_make(0, share ? signals_share_actions(actions) : signals_copy_actions(actions));
    memcpy(child->process->output_roles, process->output_roles, sizeof process->output_roles);
  }
}

/* clone has one argument for two addresses that clone3 may give both. */
static long clone_with_slot(struct thread *child, const struct request *request) {
  uint64_t flags = request->flags & ~(CLONE_CHILD_SETTID | CLONE_CLEAR_SIGHAND);
  uintptr_t parent_tid = request->parent_tid;
  bool both = request->extended && flags & CLONE_PIDFD && flags & CLONE_PARENT_SETTID;
  if (request->extended && flags & CLONE_PIDFD) parent_tid = request->pidfd;
  if (both) flags &= ~(uint64_t)CLONE_PARENT_SETTID;
  if (flags & (CLONE_PIDFD | CLONE_PARENT_SETTID)) codewatch_release(parent_tid, parent_tid + sizeof(int));
  long tid = arch_clone(child, flags | CLONE_CHILD_CLEARTID | (unsigned)request->exit_signal,
                        (int *)parent_tid, (int *)&child->kernel_tid, request->tls);
  if (both && !os_failed(tid)) store_tid(request->parent_tid, (uint32_t)tid);
  return tid;
}

static long clone_shared(struct thread *parent, const struct request *request) {
  uint64_t beyond = request->flags >> 32 & ~(CLONE_CLEAR_SIGHAND >> 32);
  if (beyond || (request->extended && request->extended->set_tid_size)) return -EINVAL;
  struct thread *child = slot_take();
  if (!child) return -EAGAIN;
  prepare_child(child, parent, request);
  thread_enlist(child);
  bool vfork = request->flags & CLONE_VFORK;
  if (!vfork && !(request->flags & CLONE_THREAD)) process_lend_memory();
  if (in_sphere()) child->rthread = sphere_before_clone(parent, !(request->flags & CLONE_THREAD), vfork);
  struct rthread *own = child->rthread;
  if (own) child->number = own->number;
  if (own && permissions_on()) permissions_enlist(child, own);
  long tid = own || !in_sphere() ? clone_with_slot(child, request) : -EAGAIN;
  if (own) sphere_after_clone(parent, own, vfork, tid);
  if (os_failed(tid)) {
    struct process *process = child->process;
    child->kernel_tid = 0;
    thread_delist(child);
    process_drop(process);
  } else {
    COUNT(threads);
    LOG(threads, "started %ld, flags %lx", tid, request->flags);
    if (request->flags & CLONE_VFORK) threads_reap();
  }
  return tid;
}

/* -- A copy of the memory -------------------------------------------------------------------------------- */

void process_lock_all(struct thread *thread) {
  lock_take(&threads_lock);
  signals_before_fork(thread);
  lock_take(&mappings_lock);
  arena_before_fork();
}

void process_unlock_all(struct thread *thread, bool child) {
  arena_after_fork();
  mlock_after_fork(child);
  lock_release(&mappings_lock);
  signals_after_fork(thread, child);
  if (child) threads_forget_others(thread);
  lock_release(&threads_lock);
}

static long fork_in_kernel(const struct request *request) {
  uint64_t flags = request->flags & ~(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_CLEAR_SIGHAND);
  if (!request->extended || replaying()) {
    long args[5] = {(long)(flags | (unsigned)request->exit_signal), 0, (long)request->parent_tid};
    args[ARCH_CLONE_TLS] = (long)request->tls;
    return os_call5(__NR_clone, args[0], args[1], args[2], args[3], args[4]);
  }
  struct clone_args args = *request->extended;
  args.flags = flags;
  args.stack = args.stack_size = 0;
  return os_call2(__NR_clone3, &args, sizeof args);
}

/* The only thread of the new process, in its parent's slot; own is NULL outside a sphere. */
static void become_child(struct thread *thread, const struct request *request, struct rthread *own) {
  bool set = request->flags & CLONE_CHILD_SETTID, clear = request->flags & CLONE_CHILD_CLEARTID;
  thread->tid = (int)os_call1(__NR_set_tid_address, &thread->kernel_tid);
  thread->kernel_tid = thread->tid;
  thread->process->pid = (int)os_call0(__NR_getpid);
  if (own) {
    if (replaying()) thread->process->pid = own->replay.seen_id;
    sphere_child(thread, own);
  }
  thread->record.stop_signal = 0; /* was for the parent */
  thread->life.clear_child_tid = clear ? request->child_tid : 0;
  thread->life.separate = thread->life.entrusted = false;
  thread->process->untraced = false;
  thread->life.robust_list = 0;
  memset(&counters, 0, sizeof counters);
  lasting_own();
  if (request->stack) arch_set_sp(thread, request->stack);
  if (request->flags & CLONE_CLEAR_SIGHAND) signals_clear_handlers(thread);
  if (set && own) order_write(thread, request->child_tid, sizeof(uint32_t));
  if (set) store_tid(request->child_tid, (uint32_t)thread->tid);
  if (set && own) order_tick(thread);
}

static long fork_copy(struct thread *thread, const struct request *request) {
  if (request->flags & CLONE_PIDFD) codewatch_release(request->pidfd, request->pidfd + sizeof(int));
  if (request->flags & CLONE_PARENT_SETTID)
    codewatch_release(request->parent_tid, request->parent_tid + sizeof(int));
  bool vfork = request->flags & CLONE_VFORK;
  struct rthread *own = in_sphere() ? sphere_before_clone(thread, true, vfork) : NULL;
  if (in_sphere() && !own) return -EAGAIN;
  cache_before_fork();
  process_lock_all(thread);
  long pid = fork_in_kernel(request);
  process_unlock_all(thread, pid == 0);
  cache_after_fork(pid == 0);
  if (pid == 0)
    become_child(thread, request, own);
  else if (in_sphere())
    sphere_after_clone(thread, own, vfork, pid);
  LOG(threads, "forked: %ld", pid);
  return pid;
}

/* -- The calls ------------------------------------------------------------------------------------------- */

/* In replay the child's ids are those of the recording, its descriptors and namespaces do not matter. Its end raises SIGCHLD, which
 * is ignored there: no handler runs, no zombie stays, and every kernel and emulator knows children that end so. */
static void strip(struct request *request) {
  request->exit_signal = request->flags & (CLONE_THREAD | CLONE_PARENT) ? 0 : SIGCHLD;
  request->flags &=
      ~(uint64_t)(CLONE_PIDFD | CLONE_PARENT_SETTID | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                  CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_INTO_CGROUP);
}

static long perform(struct thread *thread, struct request *request) {
  if (replaying()) strip(request);
  if (!signals_hold_off(thread)) return CALL_INTERRUPTED;
  long result = request->flags & CLONE_VM ? clone_shared(thread, request) : fork_copy(thread, request);
  signals_let_in(thread);
  return result;
}

static long call_clone(struct thread *thread, const long *args) {
  struct request request = {
      .flags = (uint32_t)args[0] & ~(uint32_t)CSIGNAL,
      .exit_signal = (int)(args[0] & CSIGNAL),
      .stack = (uintptr_t)args[1],
      .parent_tid = (uintptr_t)args[2],
      .pidfd = (uintptr_t)args[2],
      .child_tid = (uintptr_t)args[ARCH_CLONE_CHILD_TID],
      .tls = (uintptr_t)args[ARCH_CLONE_TLS],
  };
  return perform(thread, &request);
}

/* Copies a structure of a size that the caller chose: fields that we do not know must be zero. */
static long read_clone_args(struct clone_args *to, const char *from, size_t size) {
  memset(to, 0, sizeof *to);
  if (size > PAGE) return -E2BIG;
  if (size < CLONE_ARGS_SIZE_VER0) return -EINVAL;
  if (safe_copy(to, from, MIN(size, sizeof *to))) return -EFAULT;
  for (size_t i = sizeof *to; i < size; i++) {
    char byte;
    if (safe_copy(&byte, from + i, 1)) return -EFAULT;
    if (byte) return -E2BIG;
  }
  return 0;
}

static bool valid_clone_args(const struct clone_args *args) {
  const uint64_t known = 0xffffffff | CLONE_CLEAR_SIGHAND | CLONE_INTO_CGROUP;
  if (args->flags & (~known | CLONE_DETACHED | (CSIGNAL & ~(uint64_t)CLONE_NEWTIME))) return false;
  if (args->flags & CLONE_SIGHAND && args->flags & CLONE_CLEAR_SIGHAND) return false;
  if (args->flags & (CLONE_THREAD | CLONE_PARENT) && args->exit_signal) return false;
  if (args->exit_signal & ~(uint64_t)CSIGNAL) return false;
  return !args->stack == !args->stack_size;
}

/* Kernels and containers without clone3 do not get one from us, where clone would do: programs see what they see natively. */
static long clone3_missing(void) {
  long error = replaying() ? -EINVAL : os_call2(__NR_clone3, NULL, 0);
  return error == -EINVAL ? 0 : error;
}

static long call_clone3(struct thread *thread, const long *call_args) {
  struct clone_args args;
  long error = clone3_missing();
  if (!error) error = read_clone_args(&args, (const char *)call_args[0], (size_t)call_args[1]);
  if (error) return error;
  if (!valid_clone_args(&args)) return -EINVAL;
  struct request request = {
      .flags = args.flags,
      .exit_signal = (int)args.exit_signal,
      .stack = args.stack + args.stack_size,
      .pidfd = args.pidfd,
      .parent_tid = args.parent_tid,
      .child_tid = args.child_tid,
      .tls = args.tls,
      .extended = &args,
  };
  return perform(thread, &request);
}

bool clone_call(struct thread *thread, const struct call *call, long *result) {
  switch (call->nr) {
    case __NR_clone:
      *result = call_clone(thread, call->args);
      return true;
    case __NR_clone3:
      *result = call_clone3(thread, call->args);
      return true;
#ifdef __NR_fork
    case __NR_fork: {
      struct request request = {.exit_signal = SIGCHLD};
      *result = perform(thread, &request);
      return true;
    }
    case __NR_vfork: {
      struct request request = {.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD};
      *result = perform(thread, &request);
      return true;
    }
#endif
    default:
      return false;
  }
}

/* -- Tracing ------------------------------------------------------------------------------------------------ */

static bool is_here(int tid) {
  bool here = false;
  lock_take(&threads_lock);
  for (const struct thread *t = threads; t && !here; t = t->next) here = (int)t->kernel_tid == tid;
  lock_release(&threads_lock);
  return here;
}

bool trace_call(struct thread *thread, const struct call *call, long *result) {
  const long *a = call->args;
  if (!call_stops_tracee(call) || !is_here((int)a[1])) return false;
  cache_call_out();
  process_lock_all(thread);
  *result = os_call4(__NR_ptrace, a[0], a[1], a[2], a[3]);
  if (!os_failed(*result)) task_await_trap((int32_t)a[1]);
  process_unlock_all(thread, false);
  cache_let_in();
  return true;
}

/* diversion_points.c: points and system calls of a diversion (threads/diversion.c).
 *
 * The debugger drives it through a part of the region of its own (struct region_diversion). It stops after a step, at breakpoints, at signals, and where
 * the program would end.
 *
 * System calls change nothing outside this process. Calls that concern its own memory are performed; output to descriptors 1 and 2 goes to the
 * debugger; its ids are those of the recording; all others fail, as in a kernel without them. */
#include "engine/loop/diversion_points.h"

#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/loop/debug_points.h"
#include "engine/memory/mappings.h"
#include "engine/region/debug.h"
#include "engine/region/rings.h"
#include "engine/signals/signals.h"
#include "engine/view/vdso.h"

static bool begun;
static uint64_t resumed_at; /* the position where the debugger has resumed it */

static struct region_diversion *diversion(void) {
  return &region->debug.diversion;
}

/* Not region_wait(): no thread of the replay waits here. */
static void wait_for_debugger(enum diversion_state state) {
  atomic_store(&diversion()->state, state);
  region_wake(&diversion()->state, INT32_MAX);
  while (atomic_load(&diversion()->state) == state)
    os_call4(__NR_futex, &diversion()->state, FUTEX_WAIT, state, 0);
}

static void stop(struct thread *thread, enum debug_reason reason, int number) {
  arch_export_registers(thread, diversion()->registers);
  diversion()->reason = reason;
  diversion()->number = number;
  atomic_store(&diversion()->interrupt, 0);
  wait_for_debugger(DIVERSION_STOPPED);
  diversion()->waits = false;
  resumed_at = arch_position(thread);
  arch_import_registers(thread, diversion()->registers);
}

static bool has_stepped(const struct thread *thread) {
  uintptr_t pc = arch_pc(thread);
  return arch_position(thread) != resumed_at && diversion()->steps &&
         !(pc >= diversion()->range_start && pc < diversion()->range_end);
}

bool diversion_point(struct thread *thread) {
  debug_adopt_changes();
  enum debug_reason reason = !begun                                 ? DEBUG_BEGINS
                             : atomic_load(&diversion()->interrupt) ? DEBUG_INTERRUPT
                             : debug_is_at_break(thread)            ? DEBUG_BREAK
                             : has_stepped(thread)                  ? DEBUG_ARRIVED
                                                                    : DEBUG_NOTHING;
  if (reason == DEBUG_NOTHING) {
    if (diversion()->steps) thread->loop.step_next = true;
    return false;
  }
  begun = true;
  stop(thread, reason, 0);
  return true;
}

void diversion_signal(struct thread *thread) {
  int signo = thread->signals.queued.signo;
  thread->signals.queued = thread->signals.displaced = (struct queued_signal){0};
  arch_set_signal_queued(thread, false);
  signals_let_in(thread);
  stop(thread, DEBUG_SIGNAL, signo);
}

/* -- System calls ------------------------------------------------------------------------------------------------------------ */

static long write_bytes(uintptr_t from, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    size_t count = MIN(bytes - done, DIVERSION_OUTPUT);
    if (safe_copy(diversion()->output, (const char *)from + done, count)) return done ? (long)done : -EFAULT;
    diversion()->output_count = (uint32_t)count;
    wait_for_debugger(DIVERSION_WRITES);
    done += count;
  }
  return (long)done;
}

static bool is_output(long descriptor) {
  return descriptor == 1 || descriptor == 2;
}

static long call_write(struct thread *thread, const struct call *call) {
  (void)thread;
  return is_output(call->args[0]) ? write_bytes((uintptr_t)call->args[1], (size_t)call->args[2]) : -EBADF;
}

static long call_writev(struct thread *thread, const struct call *call) {
  (void)thread;
  long done = 0;
  enum { PARTS_MOST = 1024 };
  if (!is_output(call->args[0])) return -EBADF;
  if (call->args[2] < 0 || call->args[2] > PARTS_MOST) return -EINVAL;
  for (long i = 0; i < call->args[2]; i++) {
    struct iovec part;
    if (safe_copy(&part, (const struct iovec *)call->args[1] + i, sizeof part)) return done ? done : -EFAULT;
    long written = write_bytes((uintptr_t)part.iov_base, part.iov_len);
    if (written < 0) return done ? done : written;
    done += written;
    if ((size_t)written < part.iov_len) break;
  }
  return done;
}

static long call_memory(struct thread *thread, const struct call *call) {
  long result;
  return mappings_call(thread, call, &result) ? result : -ENOSYS;
}

/* Descriptors of the program are not there in a replay. */
static long call_mmap(struct thread *thread, const struct call *call) {
  return call->args[3] & MAP_ANONYMOUS ? call_memory(thread, call) : -ENOSYS;
}

static long call_signals(struct thread *thread, const struct call *call) {
  long result;
  return signals_call(thread, call, &result) ? result : -ENOSYS;
}

static long call_time(struct thread *thread, const struct call *call) {
  long result;
  return vdso_call(thread, call, &result) ? result : -ENOSYS;
}

static long call_pid(struct thread *thread, const struct call *call) {
  (void)call;
  return thread->process->pid;
}

static long call_tid(struct thread *thread, const struct call *call) {
  (void)call;
  return thread->tid;
}

static long call_nothing(struct thread *thread, const struct call *call) {
  (void)thread;
  (void)call;
  return 0;
}

/* No thread is there that could be woken, or that could wake this one. */
static long call_futex(struct thread *thread, const struct call *call) {
  uint32_t value;
  switch (call->args[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return 0;
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (safe_copy(&value, (const void *)call->args[0], sizeof value)) return -EFAULT;
      if (value != (uint32_t)call->args[2]) return -EAGAIN;
      diversion()->waits = true;
      arch_restart_call(thread, call->nr);
      stop(thread, DEBUG_INTERRUPT, 0);
      return CALL_DONE;
    default:
      return -ENOSYS;
  }
}

static long call_exit(struct thread *thread, const struct call *call) {
  arch_restart_call(thread, call->nr);
  stop(thread, DEBUG_ENDS, (int)call->args[0] & 0xff);
  return CALL_DONE;
}

/* A signal that the program sends itself. */
static long call_kill(struct thread *thread, const struct call *call) {
  bool names_group = call->nr == __NR_tgkill;
  long target = call->args[names_group ? 1 : 0];
  int signo = (int)call->args[names_group ? 2 : 1];
  if (target != (call->nr == __NR_kill ? thread->process->pid : thread->tid)) return -ESRCH;
  if (!signo) return 0;
  arch_set_result(thread, 0);
  stop(thread, DEBUG_SIGNAL, signo);
  return CALL_DONE;
}

static const struct {
  long nr;
  long (*perform)(struct thread *thread, const struct call *call);
} inside[] = {
    {__NR_write, call_write},
    {__NR_writev, call_writev},
    {__NR_mmap, call_mmap},
    {__NR_munmap, call_memory},
    {__NR_mprotect, call_memory},
    {__NR_mremap, call_memory},
    {__NR_madvise, call_memory},
    {__NR_brk, call_memory},
    {__NR_futex, call_futex},
    {__NR_sched_yield, call_nothing},
    {__NR_rt_sigprocmask, call_signals},
    {__NR_rt_sigaction, call_signals},
    {__NR_sigaltstack, call_signals},
    {__NR_clock_gettime, call_time},
    {__NR_gettimeofday, call_time},
    {__NR_getpid, call_pid},
    {__NR_gettid, call_tid},
    {__NR_kill, call_kill},
    {__NR_tkill, call_kill},
    {__NR_tgkill, call_kill},
    {__NR_exit, call_exit},
    {__NR_exit_group, call_exit},
};

void diversion_call(struct thread *thread) {
  struct call call;
  long result = -ENOSYS;
  arch_call(thread, &call);
  for (size_t i = 0; i < COUNT_OF(inside); i++)
    if (inside[i].nr == call.nr) result = inside[i].perform(thread, &call);
  if (result != CALL_DONE) arch_set_result(thread, result);
}

/* core_files.c: lets a program die so that a core file shows it, not the engine. See core_files.h.
 *
 * The kernel writes its own view: the registers with which each thread last entered the kernel, the auxiliary vector of the
 * file that was executed, all memory. So before a fatal signal takes effect
 *
 *   - the engine's own memory is left out of core files, and the kernel is told the program's auxiliary vector, by which a debugger
 *     finds the program and its libraries;
 *   - all other threads leave the cache; a child of the process stops them by ptrace and gives each the program's registers. They stay so
 *     until the kernel ends them;
 *   - the thread that dies sends itself the signal, blocked, and returns from a signal handler that never ran: the frame has the
 *     program's registers, and a mask that lets the signal in.
 *
 * A step that fails is left out: at the worst, other threads show the engine's registers. Known limit: whether core files are wanted is asked when
 * a program starts, as far as signals go that are not faults. */
#include "engine/signals/core_files.h"

#include <linux/elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/resource.h>

#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/code/cache.h"
#include "engine/memory/layout.h"
#include "engine/signals/signals.h"

enum { WAIT_ALL = 0x40000000 /* __WALL */, DUMPABLE = 1 };

/* Signals whose default action writes a core file. */
#define CORE_SIGNALS                                                                      \
  (SIGNAL_BIT(SIGQUIT) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGABRT) | \
   SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGSYS) |   \
   SIGNAL_BIT(SIGXCPU) | SIGNAL_BIT(SIGXFSZ))

/* A program that takes core files through a pipe gets them whatever the limit is. */
static bool goes_to_pipe(void) {
  char first = 0;
  long fd = os_call4(__NR_openat, AT_FDCWD, "/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  os_call3(__NR_read, fd, &first, 1);
  os_call1(__NR_close, fd);
  return first == '|';
}

uint64_t core_signals(void) {
  struct rlimit64 limit;
  if (replaying() || config.sandboxed) return 0;
  if (os_call0(__NR_getpid) == 1 || os_call5(__NR_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0) != DUMPABLE) return 0;
  if (os_call4(__NR_prlimit64, 0, RLIMIT_CORE, 0, &limit)) return 0;
  return limit.rlim_cur || goes_to_pipe() ? CORE_SIGNALS : 0;
}

/* -- The other threads ------------------------------------------------------------------------------------------------ */

static bool is_other(const struct thread *thread, const struct thread *other) {
  return other != thread && other->process == thread->process && other->kernel_tid;
}

static void stop_and_show(const struct thread *other) {
  int status;
  if (os_call4(__NR_ptrace, PTRACE_SEIZE, other->kernel_tid, 0, 0)) return;
  if (os_call4(__NR_ptrace, PTRACE_INTERRUPT, other->kernel_tid, 0, 0)) return;
  if (os_call4(__NR_wait4, other->kernel_tid, &status, WAIT_ALL, 0) < 0) return;
  arch_give_registers(other->kernel_tid, other);
}

/* A child that has a copy of all contexts. It writes to the pipe when it is ready, and ends when all threads that it traces are dead. */
static _Noreturn void trace_others(const struct thread *thread, int pipe) {
  kernel_set_mask(~0UL);
  for (const struct thread *t = threads; t; t = t->next)
    if (is_other(thread, t)) stop_and_show(t);
  os_call3(__NR_write, pipe, "", 1);
  os_call1(__NR_close, pipe);
  while (os_call4(__NR_wait4, -1, 0, WAIT_ALL, 0) > 0) continue;
  for (;;) os_call1(__NR_exit_group, 0);
}

static void show_others(const struct thread *thread) {
  bool alone = true, shares = false; /* memory with another process, which must go on */
  for (const struct thread *t = threads; t; t = t->next) {
    alone = alone && !is_other(thread, t);
    shares = shares || t->process != thread->process;
  }
  int ends[2];
  char byte;
  if (alone || shares || os_call2(__NR_pipe2, ends, O_CLOEXEC)) return;
  cache_call_out(); /* and no thread enters it again before all are stopped */
  os_call5(__NR_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  long child = os_call5(__NR_clone, 0, 0, 0, 0, 0);
  if (!child) trace_others(thread, ends[1]);
  os_call1(__NR_close, ends[1]);
  if (child > 0) os_call3(__NR_read, ends[0], &byte, 1);
  cache_let_in(); /* they are stopped; this thread needs the lock to make its frame */
}

/* -- The thread that dies ------------------------------------------------------------------------------------------------ */

void core_die(struct thread *thread, const struct queued_signal *signal) {
  kernel_set_mask(~0UL);
  os_call3(__NR_madvise, ENGINE_BASE, ENGINE_END - ENGINE_BASE, MADV_DONTDUMP);
  layout_announce_program();
  show_others(thread);
  send_again(thread, signal->signo, &signal->info);
  struct frame_request request = {.signo = signal->signo,
                                  .info = &signal->info,
                                  .mask = ~SIGNAL_BIT(signal->signo),
                                  .altstack = {.ss_flags = SS_DISABLE}};
  arch_become_program(thread, &request);
}

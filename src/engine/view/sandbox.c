/* sandbox.c: filters of system calls (seccomp) judge the program's calls, not the engine's own.
 *
 * The kernel tells a filter the address from which a call was made. Two instructions are the program's. From one (arch_blocking_call) the kernel
 * performs its calls. From the other (arch_judged_call) no call is ever performed: it only asks the filters, before the engine does anything for
 * the program, whether they answer the call with an error or a signal, or end the program. For that a first filter, the base, refuses everything
 * there with an error of its own; as the kernel goes by the most severe of all answers, and by the latest filter among equals, that error comes
 * through only where the program's filters let the call pass:
 *
 *         ld  [pc, upper half]
 *         jne #engine's, pass
 *         ld  [pc, lower half]
 *         jne #behind arch_judged_call's instruction, pass
 *         ret #errno 4095
 * pass:   ret #allow
 *
 * Calls from the rest of the engine are let through by a few instructions put before the program's filters:
 *
 *         ld  [pc, upper half]
 *         jne #engine's, pass
 *         ld  [pc, lower half]
 *         jeq #behind arch_blocking_call's instruction, filter
 *         jeq #behind arch_judged_call's instruction, filter
 * pass:   ret #allow
 * filter: …
 *
 * The engine lies at the same place after an execve, so that this holds for programs that inherit the filters.
 *
 * Known limits. Calls that natively the vDSO serves without the kernel are not judged, nor those that recorded programs are refused
 * (input/rows_refused.c); a tracer or supervisor (SECCOMP_RET_TRACE, SECCOMP_RET_USER_NOTIF) hears only of what the kernel performs; strict
 * mode, which has no filter, ends the process. */
#include "engine/view/sandbox.h"

#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#include "engine/base/lib.h"
#include "engine/signals/kernel_call.h"
#include "input/times.h"

enum {
  PC_LOW = 8,
  PC_HIGH = 12,
  PREFIX = 6,
  BASE = 6,
  PASSES = 4095
}; /* PASSES: the highest error that a filter can answer */

static void put_prefix(struct sock_filter *to) {
  uintptr_t performed = arch_blocking_call_pc(), judged = arch_judged_call_pc();
  const struct sock_filter prefix[PREFIX] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PC_HIGH),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(judged >> 32), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PC_LOW),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)performed, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)judged, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  CHECK(performed >> 32 == judged >> 32);
  memcpy(to, prefix, sizeof prefix);
}

/* All threads of the process have the same filters now. */
static void judge_all(const struct thread *thread) {
  lock_take(&threads_lock);
  for (struct thread *t = threads; t; t = t->next)
    if (t->process == thread->process) t->judged = true;
  lock_release(&threads_lock);
}

/* Returns as seccomp does: the program's own filter would fail for the same reason. */
static long set_base(struct thread *thread, unsigned flags) {
  uintptr_t judged = arch_judged_call_pc();
  struct sock_filter base[BASE] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PC_HIGH),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(judged >> 32), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PC_LOW),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)judged, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | PASSES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {BASE, base};
  if (thread->judged) return 0;
  long result = os_call3(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
                         flags & (SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH), &program);
  if (!result) thread->judged = true;
  return result;
}

static bool sets_filter(const struct call *call) {
  if (call->nr == __NR_seccomp) return call->args[0] == SECCOMP_SET_MODE_FILTER;
  return call->nr == __NR_prctl && call->args[0] == PR_SET_SECCOMP && call->args[1] == SECCOMP_MODE_FILTER;
}

static long set_prefixed(struct thread *thread, struct call call) {
  struct sock_filter filter[BPF_MAXINSNS];
  struct sock_fprog program;
  if (safe_copy(&program, (const void *)call.args[2], sizeof program)) return -EFAULT;
  if (!program.len || program.len > BPF_MAXINSNS - PREFIX) return -EINVAL;
  if (safe_copy(filter + PREFIX, program.filter, program.len * sizeof *filter)) return -EFAULT;
  put_prefix(filter);
  program.len += PREFIX;
  program.filter = filter;
  call.args[2] = (long)&program;
  unsigned flags = call.nr == __NR_seccomp ? (unsigned)call.args[1] : 0;
  long result = set_base(thread, flags);
  if (!result) result = syscall_pass_on(thread, &call);
  if (!os_failed(result) && flags & SECCOMP_FILTER_FLAG_TSYNC) judge_all(thread);
  return result;
}

bool sandbox_call(struct thread *thread, const struct call *call, long *result) {
  if (!sets_filter(call)) return false;
  *result = set_prefixed(thread, *call);
  sandbox_replayed(call, *result);
  return true;
}

void sandbox_replayed(const struct call *call, long result) {
  if (sets_filter(call) && result >= 0) config.sandboxed = true;
}

/* True of calls that programs make by way of the vDSO, where no filter sees them. The engine hides it. */
static bool is_unseen(const struct call *call) {
  return input_time((uint32_t)call->nr).unit || call->nr == __NR_clock_getres || call->nr == __NR_getcpu;
}

bool sandbox_answers(struct thread *thread, const struct call *call, long *result) {
  if (!thread->judged || replaying() || is_unseen(call)) return false;
  *result = arch_judged_call(thread, call);
  return *result != -PASSES;
}

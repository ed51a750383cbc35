/* sandbox.c: filters of system calls (seccomp) judge the program's calls, not the engine's own.
 *
 * The kernel tells a filter the address from which a call was made. The program's calls go to the kernel from one
 * instruction (arch_blocking_call); calls from the rest of the engine are let through by a few instructions put before the program's:
 *
 *         ld  [pc, upper half]
 *         jne #engine's, filter
 *         ld  [pc, lower half]
 *         jeq #behind arch_blocking_call's instruction, filter
 *         ret #allow
 * filter: …
 *
 * The engine lies at the same place after an execve, so that this holds for programs that inherit the filter.
 *
 * Known limits. Calls that the engine performs in its own way (threads, mappings, signals, clocks), and those that recorded programs
 * are refused (input/rows_refused.c), are not judged; strict
 * mode, which has no filter, ends the process. */
#include "engine/view/sandbox.h"

#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#include "engine/base/lib.h"
#include "engine/signals/kernel_call.h"

enum { PC_LOW = 8, PC_HIGH = 12, PREFIX = 5 };

static void put_prefix(struct sock_filter *to) {
  uintptr_t pc = arch_blocking_call_pc();
  const struct sock_filter prefix[PREFIX] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PC_HIGH),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(pc >> 32), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PC_LOW),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)pc, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  memcpy(to, prefix, sizeof prefix);
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
  return syscall_pass_on(thread, &call);
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

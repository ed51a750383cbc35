/* A seccomp filter: SIGSYS with the call's number and arguments, a result set by the handler, errno, and
 * death. */
#include "sys_helpers.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* The call of that number, with the arguments 11, 22, 33. */
long call_run(long number);
extern char call_after[];
#if defined(__x86_64__)
__asm__(
    ".text\n"
    "call_run: mov %rdi, %rax\n mov $11, %edi\n mov $22, %esi\n mov $33, %edx\n syscall\n"
    "call_after: ret\n");

/* What a handler finds of the call, and where it puts its result. */
static void registers(const void *context, long long of[4]) {
  static const int where[] = {REG_RAX, REG_RDI, REG_RSI, REG_RDX};
  for (int i = 0; i < 4; i++) of[i] = REG(context, where[i]);
}

static void set_result(void *context, long result) {
  REG(context, REG_RAX) = result;
}
#else
__asm__(
    ".text\n .globl call_run, call_after\n"
    "call_run: mov x8, x0\n mov x0, 11\n mov x1, 22\n mov x2, 33\n svc 0\n"
    "call_after: ret\n");

static void registers(const void *context, long long of[4]) {
  static const int where[] = {8, 0, 1, 2};
  for (int i = 0; i < 4; i++) of[i] = (long long)((const ucontext_t *)context)->uc_mcontext.regs[where[i]];
}

static void set_result(void *context, long result) {
  ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long)result;
}
#endif

static void on_sys(int sig, siginfo_t *info, void *context) {
  say("SIG%s code %d call %d arch %x errno %d at the call %d pc there %d\n", sigabbrev_np(sig), info->si_code,
      info->si_syscall, info->si_arch, info->si_errno, info->si_call_addr == (void *)call_after,
      pc_of(context) == (uintptr_t)call_after);
  long long of[4];
  registers(context, of);
  say("  number %lld arguments %lld %lld %lld\n", of[0], of[1], of[2], of[3]);
  set_result(context, 4321);
}

int main(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_lookup_dcookie, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP | 77),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sethostname, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_acct, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  no_core();
  handle(SIGSYS, on_sys, 0);
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  say("trapped call gives %ld\n", call_run(SYS_lookup_dcookie));
  say("refused call gives %ld\n", call_run(SYS_sethostname));
  say("mode %d\n", prctl(PR_GET_SECCOMP));
  pid_t child = fork();
  if (child == 0) {
    call_run(SYS_acct);
    _exit(0);
  }
  say_status("forbidden call", reap(child));
  return 0;
}

/* A seccomp filter: SIGSYS with the call's number and arguments, a result set by the handler, errno, and
 * death. */
#include "sys_helpers.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

extern char call_run[], call_after[];
__asm__(
    ".text\n"
    "call_run: mov %rdi, %rax\n mov $11, %edi\n mov $22, %esi\n mov $33, %edx\n syscall\n"
    "call_after: ret\n");

static void on_sys(int sig, siginfo_t *info, void *context) {
  say("SIG%s code %d call %d arch %x errno %d at the call %d pc there %d\n", sigabbrev_np(sig), info->si_code,
      info->si_syscall, info->si_arch, info->si_errno, info->si_call_addr == (void *)call_after,
      (char *)REG(context, REG_RIP) == call_after);
  say("  rax %lld arguments %lld %lld %lld\n", REG(context, REG_RAX), REG(context, REG_RDI),
      REG(context, REG_RSI), REG(context, REG_RDX));
  REG(context, REG_RAX) = 4321;
}

static long raw(long number) {
  return ((long (*)(long))call_run)(number);
}

int main(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ustat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP | 77),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sysfs, 0, 1),
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
  say("trapped call gives %ld\n", raw(SYS_ustat));
  say("refused call gives %ld\n", raw(SYS_sysfs));
  say("mode %d\n", prctl(PR_GET_SECCOMP));
  pid_t child = fork();
  if (child == 0) {
    raw(SYS_acct);
    _exit(0);
  }
  say_status("forbidden call", reap(child));
  return 0;
}

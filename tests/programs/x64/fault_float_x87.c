/* Unmasked x87 exceptions come at the next x87 instruction; code, pc and status. */
#include "sys_helpers.h"

extern char x87_run[], x87_next[], x87_done[];
__asm__(
    ".text\n"
    "x87_run: fninit\n movw $0x37b, -2(%rsp)\n fldcw -2(%rsp)\n" /* division by zero unmasked */
    "  fld1\n fldz\n"
    "  fdivrp %st, %st(1)\n" /* pending from here */
    "  mov $7, %eax\n add $8, %eax\n"
    "x87_next: fwait\n"
    "  mov $99, %eax\n"
    "x87_done: fninit\n ret\n");

static void on_fpe(int sig, siginfo_t *info, void *context) {
  struct _libc_fpstate *saved = ((ucontext_t *)context)->uc_mcontext.fpregs;
  say("SIG%s code %d trap %lld, pc at the next %d, address there %d, eax %lld\n", sigabbrev_np(sig),
      info->si_code, REG(context, REG_TRAPNO), (char *)REG(context, REG_RIP) == x87_next,
      (char *)info->si_addr == x87_next, REG(context, REG_RAX));
  say("status %x control %x tags %x\n", saved->swd, saved->cwd, saved->ftw);
  REG(context, REG_RIP) = (long)x87_done;
  saved->swd &= 0x7f00; /* no exception pending any more */
}

int main(void) {
  handle(SIGFPE, on_fpe, 0);
  say("returned %d\n", ((int (*)(void))x87_run)());
  no_core();
  signal(SIGFPE, SIG_DFL);
  pid_t child = fork();
  if (child == 0) _exit(((int (*)(void))x87_run)());
  say_status("default", reap(child));
  return 0;
}

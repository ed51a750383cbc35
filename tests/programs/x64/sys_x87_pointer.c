/* fnstenv, fxsave and a signal's context name the last x87 instruction by its address in the program. */
#include "sys_helpers.h"

extern char x87_run[], x87_last[];
__asm__(
    ".text\n"
    "x87_run: fninit\n fld1\n fldpi\n" /* rdi: environment, rsi: fxsave area */
    "x87_last: fadd %st(1), %st\n"
    "  fnstenv (%rdi)\n"
    "  fxsave64 (%rsi)\n"
    "  ud2\n"
    "  fninit\n ret\n");

static void on_illegal(int sig, siginfo_t *info, void *context) {
  struct _libc_fpstate *saved = ((ucontext_t *)context)->uc_mcontext.fpregs;
  (void)sig, (void)info;
  say("context: %d\n", (char *)saved->rip == x87_last);
  REG(context, REG_RIP) += 2;
}

int main(void) {
  static unsigned environment[7], area[128] __attribute__((aligned(16)));
  handle(SIGILL, on_illegal, 0);
  ((void (*)(void *, void *))x87_run)(environment, area);
  say("fnstenv: %d\n", environment[3] == (unsigned)(long)x87_last);
  say("fxsave: %d\n", *(char **)((char *)area + 8) == x87_last);
  return 0;
}

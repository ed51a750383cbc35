/* A handler redirects the program: to another function on the same stack, to skip code, and to change the
 * mask. */
#include "sys_helpers.h"

extern char call_run[], call_skip[], call_else[];
__asm__(
    ".text\n"
    "call_run: mov $1, %eax\n ud2\n mov $2, %eax\n ret\n"
    "call_skip: mov $3, %eax\n ret\n"
    "call_else: lea (%rdi,%rsi), %rax\n ret\n");

static volatile int mode;

static void on_illegal(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  (void)sig, (void)info;
  if (mode == 0) REG(context, REG_RIP) += 2;
  if (mode == 1) REG(context, REG_RIP) = (long)call_skip;
  if (mode == 2) { /* as if the function called had been another with arguments */
    REG(context, REG_RDI) = 40, REG(context, REG_RSI) = 2;
    REG(context, REG_RIP) = (long)call_else;
  }
  if (mode == 3) { /* push a return address: call `call_else`, then go on after the trap */
    REG(context, REG_RSP) -= 8;
    *(long *)REG(context, REG_RSP) = REG(context, REG_RIP) + 2;
    REG(context, REG_RDI) = 1;
    REG(context, REG_RIP) = (long)call_else;
  }
  if (mode == 4) { /* return at once to the caller with a value */
    REG(context, REG_RAX) = 99;
    REG(context, REG_RIP) = *(long *)REG(context, REG_RSP);
    REG(context, REG_RSP) += 8;
  }
  if (mode == 5) REG(context, REG_RIP) += 2, sigaddset(&uc->uc_sigmask, SIGUSR1);
  if (mode == 6) REG(context, REG_RIP) += 2, sigdelset(&uc->uc_sigmask, SIGUSR1);
  if (mode == 7) REG(context, REG_RIP) += 2, sigfillset(&uc->uc_sigmask);
}

int main(void) {
  handle(SIGILL, on_illegal, 0);
  for (mode = 0; mode < 8; mode++) {
    int result = ((int (*)(void))call_run)();
    say("mode %d: %d blocked USR1 %d KILL %d\n", mode, result, is_blocked(SIGUSR1), is_blocked(SIGKILL));
  }
  return 0;
}

/* SA_NODEFER, SA_RESETHAND, sa_mask: what is blocked inside the handler, what happens to a second signal. */
#include "sys_helpers.h"

static volatile int depth, seen;

static void show(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  struct sigaction now;
  (void)info;
  depth++, seen++;
  CHECK(sigaction(sig, NULL, &now) == 0);
  say("  depth %d SIG%s: blocked self %d USR2 %d, was blocked self %d USR2 %d, disposition %s\n", depth,
      sigabbrev_np(sig), is_blocked(sig), is_blocked(SIGUSR2), sigismember(&uc->uc_sigmask, sig),
      sigismember(&uc->uc_sigmask, SIGUSR2), now.sa_handler == SIG_DFL ? "default" : "handler");
  if (seen < 3 && now.sa_handler != SIG_DFL) {
    raise(sig);
    say("  raised again, seen %d, pending %d\n", seen, is_pending(sig));
  }
  depth--;
}

static void run(const char *what, int flags, int mask_usr2) {
  struct sigaction action = {.sa_sigaction = show, .sa_flags = flags | SA_SIGINFO}, old;
  sigemptyset(&action.sa_mask);
  if (mask_usr2) sigaddset(&action.sa_mask, SIGUSR2);
  say("%s\n", what);
  seen = 0;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
  CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
  say("  after: seen %d blocked %d flags %x\n", seen, is_blocked(SIGUSR1),
      (unsigned)old.sa_flags & ~0x04000000u);
}

int main(void) {
  run("no flags", 0, 0);
  run("with a mask", 0, 1);
  run("SA_NODEFER", SA_NODEFER, 0);
  run("SA_NODEFER with a mask", SA_NODEFER, 1);
  run("SA_RESETHAND", SA_RESETHAND, 0);
  run("SA_RESETHAND and SA_NODEFER", SA_RESETHAND | SA_NODEFER, 0);
  run("SA_RESTART and SA_ONSTACK without a stack", SA_RESTART | SA_ONSTACK, 0);
  return 0;
}

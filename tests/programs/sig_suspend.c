/* sigsuspend: the mask changes at once with the wait, the handler sees the waiting mask, the old one comes
 * back. */
#include "sys_helpers.h"

static void show(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  (void)info;
  say("  SIG%s: in handler USR1 %d USR2 %d TERM %d; returns to USR1 %d USR2 %d TERM %d\n", sigabbrev_np(sig),
      is_blocked(SIGUSR1), is_blocked(SIGUSR2), is_blocked(SIGTERM), sigismember(&uc->uc_sigmask, SIGUSR1),
      sigismember(&uc->uc_sigmask, SIGUSR2), sigismember(&uc->uc_sigmask, SIGTERM));
}

int main(void) {
  handle(SIGUSR1, show, 0);
  handle(SIGUSR2, show, 0);
  mask_one(SIG_BLOCK, SIGUSR1), mask_one(SIG_BLOCK, SIGUSR2);
  sigset_t waiting;
  sigemptyset(&waiting);
  sigaddset(&waiting, SIGUSR2), sigaddset(&waiting, SIGTERM);
  raise(SIGUSR2), raise(SIGUSR1);
  say("pending before: USR1 %d USR2 %d\n", is_pending(SIGUSR1), is_pending(SIGUSR2));
  long result = sigsuspend(&waiting);
  say("sigsuspend: %ld %s\n", result, outcome(result));
  say("pending after: USR1 %d USR2 %d, blocked USR1 %d USR2 %d TERM %d\n", is_pending(SIGUSR1),
      is_pending(SIGUSR2), is_blocked(SIGUSR1), is_blocked(SIGUSR2), is_blocked(SIGTERM));
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    CHECK(kill(parent, SIGUSR1) == 0);
    _exit(0);
  }
  CHECK(sigsuspend(&waiting) == -1 && errno == EINTR);
  CHECK(reap(child) == 0);
  say("woken by a child\n");
  sigdelset(&waiting, SIGUSR2);
  sigaddset(&waiting, SIGUSR1);
  CHECK(sigsuspend(&waiting) == -1 && errno == EINTR);
  say("pending at the end: USR2 %d\n", is_pending(SIGUSR2));
  return 0;
}

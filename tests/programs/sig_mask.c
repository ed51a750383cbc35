/* sigprocmask: block, unblock, set, query, bad arguments, the two that cannot be blocked. */
#include "sys_helpers.h"
#include <sys/syscall.h>

static void show(const char *what, sigset_t *set) {
  say("%s:", what);
  for (int sig = 1; sig <= 64; sig++)
    if (sigismember(set, sig) == 1) say(" %d", sig);
  say("\n");
}

int main(void) {
  sigset_t set, old;
  sigemptyset(&set);
  CHECK(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
  sigaddset(&set, SIGUSR1), sigaddset(&set, SIGTERM), sigaddset(&set, SIGRTMAX);
  CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
  show("before", &old);
  sigemptyset(&set);
  sigaddset(&set, SIGTERM), sigaddset(&set, SIGHUP);
  CHECK(sigprocmask(SIG_UNBLOCK, &set, &old) == 0);
  show("blocked three", &old);
  sigfillset(&set);
  CHECK(sigprocmask(SIG_SETMASK, &set, &old) == 0);
  show("unblocked one", &old);
  CHECK(sigprocmask(12345, NULL, &old) == 0); /* `how` does not matter without a set */
  show("all that can be", &old);
  say("bad how: %s\n", outcome(sigprocmask(77, &set, NULL)));
  unsigned long bits = ~0UL;
  CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &bits, NULL, 8) == 0);
  CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &bits, 8) == 0);
  say("raw, all: %016lx\n", bits);
  say("wrong size: %s\n", outcome(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &bits, NULL, 16)));
  say("bad set: %s\n", outcome(syscall(SYS_rt_sigprocmask, SIG_SETMASK, (void *)16, NULL, 8)));
  bits = 0;
  CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &bits, &bits, 8) == 0); /* the same place in and out */
  say("old into the same place: %016lx\n", bits);
  CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &bits, 8) == 0);
  say("now: %016lx\n", bits);
  return 0;
}

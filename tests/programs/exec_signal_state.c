/* Over execve: handlers become default, ignored stay ignored, blocked and pending stay, the alternate stack
 * goes. */
#include "sys_helpers.h"

static void nothing(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
}

static const char *disposition(int sig) {
  struct sigaction action;
  CHECK(sigaction(sig, NULL, &action) == 0);
  return action.sa_handler == SIG_DFL ? "default" : action.sa_handler == SIG_IGN ? "ignored" : "handled";
}

static void report(const char *when) {
  const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGCHLD, SIGPIPE, SIGHUP, SIGRTMIN, SIGRTMAX};
  stack_t stack;
  for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
    say("%s %d: %s blocked %d pending %d\n", when, signals[i], disposition(signals[i]),
        is_blocked(signals[i]), is_pending(signals[i]));
  CHECK(sigaltstack(NULL, &stack) == 0);
  say("%s: alternate stack off %d\n", when, (stack.ss_flags & SS_DISABLE) != 0);
}

int main(int argc, char **argv) {
  static char alternate[65536];
  if (argc > 1) {
    report(argv[1]);
    siginfo_t info;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    for (int i = 0; i < 2; i++) {
      CHECK(sigwaitinfo(&set, &info) == SIGRTMIN);
      say("queued value %d code %d own pid %d\n", info.si_value.sival_int, info.si_code,
          info.si_pid == getpid());
    }
    mask_one(SIG_UNBLOCK, SIGTERM);
    return 1; /* the pending SIGTERM has ended us */
  }
  handle(SIGUSR1, nothing, 0);
  handle(SIGRTMIN, nothing, 0);
  CHECK(signal(SIGUSR2, SIG_IGN) != SIG_ERR && signal(SIGCHLD, SIG_IGN) != SIG_ERR);
  CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  mask_one(SIG_BLOCK, SIGTERM), mask_one(SIG_BLOCK, SIGRTMIN), mask_one(SIG_BLOCK, SIGHUP);
  CHECK(raise(SIGTERM) == 0);
  CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 11}) == 0);
  CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 22}) == 0);
  CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
  report("before");
  execl("/proc/self/exe", argv[0], "after", (char *)NULL);
  CHECK(!"execl returned");
}

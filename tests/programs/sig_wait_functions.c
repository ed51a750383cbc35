/* sigwait, sigwaitinfo, sigtimedwait: lowest number first, queued values in order, timeouts, no handler
 * run. */
#include "sys_helpers.h"

static void never(int sig, siginfo_t *info, void *context) {
  (void)info, (void)context;
  say("handler ran for %d\n", sig);
}

int main(void) {
  sigset_t set;
  siginfo_t info;
  int sig;
  sigemptyset(&set);
  const int signals[] = {SIGUSR1, SIGUSR2, SIGRTMIN, SIGRTMIN + 5};
  for (int i = 0; i < 4; i++) sigaddset(&set, signals[i]), handle(signals[i], never, 0);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  for (int i = 0; i < 12; i++)
    CHECK(sigqueue(getpid(), signals[3 - i % 4], (union sigval){.sival_int = i}) == 0);
  struct timespec none = {0, 0};
  while ((sig = sigtimedwait(&set, &info, &none)) > 0)
    say("signal %d signo %d code %d value %d own pid %d\n", sig, info.si_signo, info.si_code,
        info.si_value.sival_int, info.si_pid == getpid());
  say("then: %s\n", outcome(sig));
  struct timespec soon = {0, 5000000}, invalid = {0, 2000000000};
  say("after a while: %s\n", outcome(sigtimedwait(&set, NULL, &soon)));
  say("invalid time: %s\n", outcome(sigtimedwait(&set, NULL, &invalid)));
  kill(getpid(), SIGUSR2);
  CHECK(sigwait(&set, &sig) == 0);
  say("sigwait: %d\n", sig);
  pid_t parent = getpid(), child = fork();
  if (child == 0) _exit(sigqueue(parent, SIGRTMIN + 5, (union sigval){.sival_int = 77}) != 0);
  CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 5);
  say("from the child: value %d its pid %d\n", info.si_value.sival_int, info.si_pid == child);
  CHECK(reap(child) == 0);
  return 0;
}

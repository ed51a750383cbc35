/* siginfo of each way to send a signal: kill, tgkill, raise, sigqueue, pthread_sigqueue, and who sent it. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sys/syscall.h>

static void show(int sig, siginfo_t *info, void *context) {
  (void)context;
  say("  SIG%s: signo %d errno %d code %d own pid %d own uid %d", sigabbrev_np(sig), info->si_signo,
      info->si_errno, info->si_code, info->si_pid == getpid(), info->si_uid == getuid());
  if (info->si_code == SI_QUEUE) say(" value %d", info->si_value.sival_int);
  say("\n");
}

int main(void) {
  handle(SIGUSR1, show, 0);
  handle(SIGUSR2, show, 0);
  say("kill\n");
  CHECK(kill(getpid(), SIGUSR1) == 0);
  say("tgkill\n");
  CHECK(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2) == 0);
  say("tkill\n");
  CHECK(syscall(SYS_tkill, gettid(), SIGUSR2) == 0);
  say("raise\n");
  CHECK(raise(SIGUSR1) == 0);
  say("sigqueue\n");
  CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 12345}) == 0);
  say("pthread_sigqueue\n");
  CHECK(pthread_sigqueue(pthread_self(), SIGUSR2, (union sigval){.sival_int = -7}) == 0);
  say("from a child\n");
  mask_one(SIG_BLOCK, SIGUSR1);
  pid_t parent = getpid(), child = fork();
  if (child == 0) _exit(kill(parent, SIGUSR1) != 0);
  CHECK(reap(child) == 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  siginfo_t info;
  CHECK(sigwaitinfo(&set, &info) == SIGUSR1);
  say("  code %d child's pid %d\n", info.si_code, info.si_pid == child);
  return 0;
}

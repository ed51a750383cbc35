/* RLIMIT_SIGPENDING: sigqueue gives EAGAIN when full; rt_sigqueueinfo may forge codes only for itself. */
#include "sys_helpers.h"
#include <sys/syscall.h>

static void show(int sig, siginfo_t *info, void *context) {
  (void)context;
  say("signal %d code %d pid %d value %d\n", sig, info->si_code, info->si_pid, info->si_value.sival_int);
}

int main(void) {
  struct rlimit none = {0, 0}, old;
  mask_one(SIG_BLOCK, SIGRTMIN);
  CHECK(getrlimit(RLIMIT_SIGPENDING, &old) == 0);
  none.rlim_max = old.rlim_max;
  CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
  say("queue when full: %s\n", outcome(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1})));
  say("kill when full: %s", outcome(kill(getpid(), SIGRTMIN)));
  say(" pending %d\n", is_pending(SIGRTMIN));
  CHECK(setrlimit(RLIMIT_SIGPENDING, &old) == 0);
  handle(SIGRTMIN, show, 0);
  handle(SIGUSR1, show, 0);
  mask_one(SIG_UNBLOCK, SIGRTMIN);
  siginfo_t forged = {.si_signo = SIGUSR1, .si_code = -60};
  forged.si_pid = 1234, forged.si_value.sival_int = 5678;
  CHECK(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &forged) == 0);
  forged.si_code = SI_USER;
  say("own SI_USER: %s\n", outcome(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &forged)));
  forged.si_code = SI_TKILL;
  CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGUSR1, &forged) == 0);
  int gate[2];
  CHECK(pipe(gate) == 0);
  pid_t child = fork();
  if (child == 0) _exit(read(gate[0], &(char){0}, 1) != 1);
  say("SI_TKILL to another: %s\n", outcome(syscall(SYS_rt_sigqueueinfo, child, SIGUSR1, &forged)));
  forged.si_code = 5;
  say("kernel's code to another: %s\n", outcome(syscall(SYS_rt_sigqueueinfo, child, SIGUSR1, &forged)));
  say("wrong thread: %s\n", outcome(syscall(SYS_tgkill, getpid(), child, SIGUSR1)));
  say("bad ids: %s\n", outcome(syscall(SYS_tgkill, 0, 0, SIGUSR1)));
  CHECK(write(gate[1], "g", 1) == 1 && reap(child) == 0);
  return 0;
}

/* sigaction: what cannot be changed, what can be asked, and that all fields come back as they were set. */
#include "sys_helpers.h"
#include <sys/syscall.h>

static void nothing(int sig) {
  (void)sig;
}

int main(void) {
  struct sigaction action = {.sa_handler = nothing}, old;
  sigemptyset(&action.sa_mask);
  const int bad[] = {SIGKILL, SIGSTOP, 0, -1, 65, 1000};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    say("set %d: %s", bad[i], outcome(sigaction(bad[i], &action, NULL)));
    say(", get: %s\n", outcome(sigaction(bad[i], NULL, &old)));
  }
  long raw[4];
  say("wrong size of set: %s\n", outcome(syscall(SYS_rt_sigaction, SIGUSR1, NULL, raw, 4)));
  say("bad pointer: %s\n", outcome(syscall(SYS_rt_sigaction, SIGUSR1, (void *)8, NULL, 8)));
  say("raw get of 32: %s\n", outcome(syscall(SYS_rt_sigaction, 32, NULL, raw, 8)));
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_NODEFER | SA_NOCLDSTOP | SA_NOCLDWAIT | SA_ONSTACK;
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0 && sigaction(SIGUSR2, NULL, &old) == 0);
  say("flags %x handler same %d mask has KILL %d STOP %d TERM %d RTMAX %d\n",
      (unsigned)old.sa_flags & ~0x04000000u, old.sa_handler == nothing, sigismember(&old.sa_mask, SIGKILL),
      sigismember(&old.sa_mask, SIGSTOP), sigismember(&old.sa_mask, SIGTERM),
      sigismember(&old.sa_mask, SIGRTMAX));
  say("raise of 0: %s, of 65: %s\n", outcome(kill(getpid(), 0)), outcome(kill(getpid(), 65)));
  say("kill of nobody: %s\n", outcome(kill(0x3fffffff, SIGTERM)));
  say("unknown flag is dropped: ");
  action.sa_flags = 0x400 | 0x1000; /* SA_UNSUPPORTED and one that means nothing */
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0 && sigaction(SIGUSR2, NULL, &old) == 0);
  say("%x\n", (unsigned)old.sa_flags & ~0x04000000u);
  return 0;
}

/* What each of the 64 signals does to a process that left it alone: end, stop, or nothing. */
#include "sys_helpers.h"

int main(void) {
  no_core();
  for (int sig = 1; sig <= 64; sig++) {
    pid_t child = fork();
    if (child == 0) {
      sigset_t all;
      sigfillset(&all);
      CHECK(setpgid(0, 0) == 0); /* a group with a parent outside it may be stopped from a terminal */
      signal(sig, SIG_DFL);
      sigprocmask(SIG_UNBLOCK, &all, NULL);
      kill(getpid(), sig);
      _exit(0);
    }
    int status;
    char what[32];
    CHECK(waitpid(child, &status, WUNTRACED) == child);
    snprintf(what, sizeof what, "signal %d", sig);
    if (WIFSIGNALED(status))
      say("%s: killed by %d\n", what, WTERMSIG(status));
    else
      say_status(what, status);
    if (WIFSTOPPED(status)) {
      CHECK(kill(child, SIGCONT) == 0);
      say_status("  then", reap(child));
    }
  }
  return 0;
}

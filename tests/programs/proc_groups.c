/* Process groups and sessions: kill and wait by group, setpgid's rules, setsid, a leader cannot leave. */
#include "sys_helpers.h"

static void leave(int sig, siginfo_t *info, void *context) {
  (void)info, (void)context;
  _exit(sig);
}

static pid_t start(pid_t group) {
  pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  CHECK(setpgid(child, group) == 0);
  return child;
}

int main(void) {
  pid_t a = start(0), b = start(a), c = start(0);
  say("groups: a %d b %d c %d\n", getpgid(a) == a, getpgid(b) == a, getpgid(c) == c);
  CHECK(kill(-a, SIGTERM) == 0);
  int status, count = 0;
  while (waitpid(-a, &status, 0) > 0) count++, say_status("of the group", status);
  say("reaped %d then %s, c lives %d\n", count, strerrorname_np(errno), waitpid(c, &status, WNOHANG) == 0);
  say("kill an empty group: %s\n", outcome(kill(-a, 0)));
  say("join no group: %s\n", outcome(setpgid(c, 0x3ffffff)));
  say("negative: %s\n", outcome(setpgid(c, -1)));
  CHECK(kill(c, SIGKILL) == 0);
  say_status("c", reap(c));
  pid_t child = fork();
  if (child == 0) {
    say("setsid: leads %d\n", setsid() == getpid() && getsid(0) == getpid() && getpgrp() == getpid());
    say("again: %s\n", outcome(setsid()));
    say("leader cannot change its group: %s\n", outcome(setpgid(0, getppid())));
    say("getsid of nobody: %s\n", outcome(getsid(0x3ffffff)));
    pid_t inner = fork();
    if (inner == 0) _exit(getsid(0) == getppid() && getpgrp() == getppid() ? 3 : 4);
    say_status("grandchild in the session", reap(inner));
    handle(SIGUSR1, leave, 0);
    kill(0, SIGUSR1); /* the whole own group */
    _exit(0);
  }
  say_status("session leader", reap(child));
  child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(1);
  }
  siginfo_t info;
  CHECK(waitid(P_PID, child, &info, WEXITED | WNOWAIT) == 0);
  say("a zombie's group: %s\n", outcome(getpgid(child)));
  CHECK(reap(child) == 0);
  return 0;
}

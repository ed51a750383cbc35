/* wait's errors and choices: no child, not ours, by group, any, bad options; resource use of a child; wait order. */
#include "sys_helpers.h"

int main(void) {
  int status = 0;
  siginfo_t info;
  say("no child: %s\n", outcome(wait(NULL)));
  say("not a child: %s\n", outcome(waitpid(1, NULL, 0)));
  say("bad options: %s\n", outcome(waitpid(-1, NULL, 0x100000)));
  say("waitid without a choice: %s\n", outcome(waitid(P_ALL, 0, &info, WNOHANG)));
  say("waitid of a bad kind: %s\n", outcome(waitid((idtype_t)77, 0, &info, WEXITED)));
  pid_t children[3];
  for (int i = 0; i < 3; i++)
    if ((children[i] = fork()) == 0) _exit(10 + i);
  for (int i = 0; i < 3; i++) CHECK(waitid(P_PID, children[i], &info, WEXITED | WNOWAIT) == 0);
  int seen = 0;
  for (pid_t got; (got = waitpid(0, &status, 0)) > 0;) /* our own group */
    for (int i = 0; i < 3; i++)
      if (got == children[i]) seen |= 1 << i, CHECK(WEXITSTATUS(status) == 10 + i);
  say("all three by group %d then %s\n", seen, strerrorname_np(errno));
  pid_t child = fork();
  if (child == 0) {
    volatile char *block = malloc(8 << 20);
    for (int i = 0; i < 8 << 20; i += 4096) block[i] = 1;
    struct rusage own;
    do CHECK(getrusage(RUSAGE_SELF, &own) == 0);
    while (own.ru_utime.tv_usec + own.ru_stime.tv_usec + own.ru_utime.tv_sec < 20000);
    _exit(0);
  }
  struct rusage usage, children_usage;
  CHECK(wait4(child, &status, 0, &usage) == child && getrusage(RUSAGE_CHILDREN, &children_usage) == 0);
  say("child's time counted %d, memory counted %d, among our children %d\n",
      usage.ru_utime.tv_usec + usage.ru_stime.tv_usec + usage.ru_utime.tv_sec >= 20000 - 4000,
      usage.ru_maxrss > 8000, children_usage.ru_maxrss >= usage.ru_maxrss);
  child = fork();
  if (child == 0) {
    say("a grandchild is not a child: %s\n", outcome(waitpid(children[0], NULL, 0)));
    _exit(0);
  }
  CHECK(reap(child) == 0);
  return 0;
}

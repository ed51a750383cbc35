/* A process is sent a stop of the terminal's kind and SIGCONT right behind it, again and again: it goes on in the end, and what it does itself then
 * stops it still. */
#include "sys_helpers.h"

enum { CHILDREN = 30, ROUNDS = 40 };

static volatile sig_atomic_t ends;

static void end(int sig) {
  (void)sig;
  ends = 1;
}

static int child(void) {
  while (!ends)
    for (volatile int i = 0; i < 500; i++) continue;
  CHECK(raise(SIGTSTP) == 0);
  return 7;
}

int main(void) {
  static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
  signal(SIGTERM, end);
  for (int n = 0; n < CHILDREN; n++) {
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) _exit(child());
    CHECK(setpgid(pid, pid) == 0);
    for (int i = 0; i < ROUNDS; i++) CHECK(kill(pid, stops[i % 3]) == 0 && kill(pid, SIGCONT) == 0);
    CHECK(kill(pid, SIGTERM) == 0);
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
    CHECK(kill(pid, SIGCONT) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  say("all have gone on\n");
  return 0;
}

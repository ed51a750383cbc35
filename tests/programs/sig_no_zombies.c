/* SIG_IGN for SIGCHLD and SA_NOCLDWAIT: children leave no zombie, wait blocks until the last and gives
 * ECHILD. */
#include "sys_helpers.h"

static volatile int handled;

static void count(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  handled++;
}

static void run(const char *what) {
  int gate[2];
  handled = 0;
  CHECK(pipe(gate) == 0);
  pid_t child = fork();
  if (child == 0) {
    close(gate[1]);
    CHECK(read(gate[0], &(char){0}, 1) == 0);
    _exit(5);
  }
  say("%s: running %d", what, waitpid(child, NULL, WNOHANG) == 0);
  close(gate[1]);
  long result;
  while ((result = waitpid(child, NULL, 0)) < 0 && errno == EINTR) continue;
  say(" waitpid %s", result < 0 ? strerrorname_np(errno) : "reaped");
  say(", gone %s\n", outcome(kill(child, 0)));
}

int main(void) {
  signal(SIGCHLD, SIG_DFL);
  run("default");
  signal(SIGCHLD, SIG_IGN);
  run("ignored");
  handle(SIGCHLD, count, SA_NOCLDWAIT);
  run("SA_NOCLDWAIT with a handler");
  say("handler ran %d\n", handled);
  handle(SIGCHLD, count, 0);
  run("handler");
  say("handler ran %d\n", handled);
  return 0;
}

/* fork inside a signal handler, five deep: each child returns from its copy of the handler and goes on. */
#include "sys_helpers.h"

static volatile int depth, in_child;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  int here = depth;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    depth = here + 1, in_child = 1;
    return;
  }
  in_child = 0;
  int status = reap(child);
  say("depth %d: child exits %d, handler's signal blocked %d\n", here, WEXITSTATUS(status),
      is_blocked(SIGUSR1));
}

int main(void) {
  handle(SIGUSR1, on_signal, 0);
  do {
    int before = depth;
    CHECK(raise(SIGUSR1) == 0);
    say("after the handler: %s at depth %d, blocked %d\n", in_child ? "child" : "parent", depth,
        is_blocked(SIGUSR1));
    if (!in_child) {
      depth = before;
      break;
    }
  } while (depth < 5);
  return depth * 10 + in_child;
}

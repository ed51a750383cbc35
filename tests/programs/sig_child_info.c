/* SIGCHLD's siginfo for exit, death by signal, stop and continue; SA_NOCLDSTOP leaves the last two out. */
#include "sys_helpers.h"

static sigset_t child_set;

static void nothing(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
}

static void expect(const char *what, pid_t child) {
  siginfo_t info;
  struct timespec limit = {10, 0};
  CHECK(sigtimedwait(&child_set, &info, &limit) == SIGCHLD);
  say("%s: code %d status %d child %d own uid %d\n", what, info.si_code, info.si_status, info.si_pid == child,
      info.si_uid == getuid());
}

int main(void) {
  int gate[2], status;
  sigemptyset(&child_set);
  sigaddset(&child_set, SIGCHLD);
  mask_one(SIG_BLOCK, SIGCHLD);
  CHECK(pipe(gate) == 0);
  for (int flags = 0;; flags = SA_NOCLDSTOP) {
    handle(SIGCHLD, nothing, flags);
    pid_t child = fork();
    if (child == 0) {
      raise(SIGSTOP);
      CHECK(read(gate[0], &(char){0}, 1) == 1);
      _exit(9);
    }
    if (!flags) expect("stop", child);
    CHECK(waitpid(child, &status, WUNTRACED) == child);
    say("pending after the stop %d\n", is_pending(SIGCHLD));
    CHECK(kill(child, SIGCONT) == 0);
    if (!flags) expect("continue", child);
    CHECK(waitpid(child, &status, WCONTINUED) == child);
    say("pending after going on %d\n", is_pending(SIGCHLD));
    CHECK(write(gate[1], "g", 1) == 1);
    expect("exit", child);
    say_status("exit", reap(child));
    if (flags) break;
  }
  pid_t child = fork();
  if (child == 0) {
    no_core();
    for (;;) pause();
  }
  CHECK(kill(child, SIGTERM) == 0);
  expect("killed", child);
  say_status("killed", reap(child));
  return 0;
}

/* Ignored and default-ignored signals interrupt nothing; setting SIG_IGN discards what is pending. */
#include "sys_helpers.h"
#include <sched.h>

int main(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  mask_one(SIG_BLOCK, SIGUSR1);
  raise(SIGUSR1);
  say("pending %d", is_pending(SIGUSR1));
  signal(SIGUSR1, SIG_IGN);
  say(", after SIG_IGN %d", is_pending(SIGUSR1));
  raise(SIGUSR1);
  say(", blocked and ignored, raised %d\n", is_pending(SIGUSR1));
  signal(SIGUSR1, SIG_DFL);
  say("default again: pending %d\n", is_pending(SIGUSR1));
  mask_one(SIG_BLOCK, SIGWINCH);
  signal(SIGWINCH, SIG_DFL);
  raise(SIGWINCH);
  say("blocked and default-ignored: pending %d\n", is_pending(SIGWINCH));
  mask_one(SIG_UNBLOCK, SIGWINCH);
  signal(SIGUSR1, SIG_IGN);
  mask_one(SIG_UNBLOCK, SIGUSR1);
  signal(SIGURG, SIG_DFL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 200; i++)
      kill(parent, i % 3 == 0 ? SIGUSR1 : i % 3 == 1 ? SIGWINCH : SIGURG), sched_yield();
    kill(parent, SIGCONT);
    CHECK(write(ends[1], "end", 3) == 3);
    _exit(0);
  }
  char text[8] = "";
  ssize_t n = read(ends[0], text, sizeof text);
  say("read went on to the end: %zd %s\n", n, text);
  CHECK(reap(child) == 0);
  return 0;
}

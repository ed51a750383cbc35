/* Two processes signal each other 5,000 times each, waiting by sigsuspend: no signal is lost, none comes
 * twice. */
#include "sys_helpers.h"

enum { ROUNDS = 5000 };
static volatile int received;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  received++;
}

static void play(pid_t other, int first) {
  sigset_t none;
  sigemptyset(&none);
  for (int i = 1; i <= ROUNDS; i++) {
    if (first) CHECK(kill(other, SIGUSR1) == 0);
    while (received < i) sigsuspend(&none);
    CHECK(received == i);
    if (!first) CHECK(kill(other, SIGUSR1) == 0);
  }
}

int main(void) {
  handle(SIGUSR1, on_signal, 0);
  mask_one(SIG_BLOCK, SIGUSR1);
  pid_t parent = getpid(), child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    play(parent, 0);
    _exit(received == ROUNDS ? 1 : 2);
  }
  play(child, 1);
  say_status("child", reap(child));
  say("received %d, pending %d\n", received, is_pending(SIGUSR1));
  return 0;
}

/* A child queues 100,000 real-time signals to its computing parent: none lost, all in order. */
#include "sys_helpers.h"

static volatile int handled, disorder;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  disorder += info->si_value.sival_int != handled || info->si_code != SI_QUEUE;
  handled++;
}

int main(void) {
  handle(SIGRTMIN, on_signal, 0);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 100000; i++)
      while (sigqueue(parent, SIGRTMIN, (union sigval){.sival_int = i}) < 0) CHECK(errno == EAGAIN);
    _exit(0);
  }
  volatile unsigned long x = 1;
  while (handled < 100000) x = x * 31 + 7;
  say("handled %d out of order %d\n", handled, disorder);
  say_status("child", reap(child));
  return 0;
}

/* A child queues 100,000 real-time signals to its computing parent: none lost, all in order. */
#include "sys_helpers.h"
#include <sched.h>
#include <sys/mman.h>

/* How many may wait. The kernel allows each user so many in all, and drops what is told along with other programs' signals
 * when there are more. */
enum { WAITING_MAX = 1000 };

static volatile int *handled, disorder;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  disorder += info->si_value.sival_int != *handled || info->si_code != SI_QUEUE;
  ++*handled;
}

int main(void) {
  handled = mmap(NULL, sizeof *handled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(handled != MAP_FAILED);
  handle(SIGRTMIN, on_signal, 0);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 100000; i++) {
      while (i - *handled >= WAITING_MAX) sched_yield();
      while (sigqueue(parent, SIGRTMIN, (union sigval){.sival_int = i}) < 0) CHECK(errno == EAGAIN);
    }
    _exit(0);
  }
  volatile unsigned long x = 1;
  while (*handled < 100000) x = x * 31 + 7;
  say("handled %d out of order %d\n", *handled, disorder);
  say_status("child", reap(child));
  return 0;
}

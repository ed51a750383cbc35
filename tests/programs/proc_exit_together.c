/* A thread that leaves while another ends the process, and a new process right behind them, again and again. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

enum { ROUNDS = 150 };

static volatile int leaves;
static int status;

static void *end_process(void *unused) {
  while (!leaves) sched_yield();
  _exit(status);
  return unused;
}

int main(void) {
  int right = 0;
  for (status = 0; status < ROUNDS; status++) {
    pid_t child = fork();
    if (child == 0) {
      pthread_t thread;
      CHECK(!pthread_create(&thread, NULL, end_process, NULL));
      leaves = 1;
      syscall(SYS_exit, 200);
    }
    int seen = reap(child);
    right += WIFEXITED(seen) && WEXITSTATUS(seen) == status;
  }
  say("%d of %d\n", right, ROUNDS);
  return 0;
}

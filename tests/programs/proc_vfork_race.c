/* A child that uses its parent's memory until it ends, as after vfork, races with another thread of the parent: the kernel holds the
 * parent itself meanwhile. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "check.h"

enum { ROUNDS = 12, STEPS = 3000 };

static atomic_long counter;
static atomic_int over;
static volatile long unsafe;
static char stack[65536] __attribute__((aligned(16)));

static void step(void) {
  atomic_fetch_add(&counter, 1);
  unsafe++;
}

static void *other(void *unused) {
  long steps = 0;
  for (; !over; steps++) step();
  (void)unused;
  return (void *)steps;
}

static int child(void *unused) {
  for (int i = 0; i < STEPS; i++) step();
  (void)unused;
  _exit(7);
}

int main(void) {
  pthread_t thread;
  void *steps;
  int right = 0;
  CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
  for (int round = 0; round < ROUNDS; round++) {
    int status;
    pid_t pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    right += WIFEXITED(status) && WEXITSTATUS(status) == 7;
  }
  over = 1;
  CHECK(pthread_join(thread, &steps) == 0);
  printf("%d children, %s\n", right,
         counter == (long)steps + ROUNDS * STEPS ? "every step counted" : "steps lost");
  return unsafe > counter;
}

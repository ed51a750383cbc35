/* A thread dies of a fault while others compute: what they have done until then is the memory that the process ends with. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

enum { OTHERS = 3, ROUNDS = 6 };

static volatile uint64_t own[OTHERS][512], common[64];
static int *volatile nowhere;

static void *compute(void *which) {
  uint64_t value = (uintptr_t)which + 1;
  for (;;) {
    own[(uintptr_t)which][0]++;
    value = value * 6364136223846793005u + 1442695040888963407u;
    common[value >> 58] ^= value;
  }
  return NULL;
}

static void crash(int round) {
  struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
  if (round % 2)
    *nowhere = 1;
  else
    __builtin_trap();
}

int main(void) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  for (int round = 0; round < ROUNDS; round++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      pthread_t thread;
      for (uintptr_t i = 0; i < OTHERS; i++) CHECK(!pthread_create(&thread, NULL, compute, (void *)i));
      crash(round);
      return 1;
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("%d: signal %d\n", round, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  return 0;
}

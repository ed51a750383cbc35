/* 500 signals of a thread to itself, each caught before the call is over, beside a thread that runs all the while. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "check.h"

enum { SIGNALS = 500 };

static pthread_barrier_t barrier;
static atomic_bool over;
static volatile int caught;

static void on_signal(int signo) {
  (void)signo;
  caught++;
}

static void *run(void *arg) {
  pthread_barrier_wait(&barrier);
  while (!atomic_load(&over)) continue;
  return arg;
}

int main(void) {
  pthread_t thread;
  CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < SIGNALS; i++) {
    CHECK(raise(SIGUSR1) == 0);
    CHECK(caught == i + 1);
  }
  atomic_store(&over, true);
  CHECK(pthread_join(thread, NULL) == 0);
  printf("%d caught\n", caught);
  return 0;
}

/* Threads that compute with vectors and flags keep their state while signals rain on all of them. */
/* cflags: -lm */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "check.h"

enum { THREADS = 3 };

static atomic_int done, handled;
static double results[THREADS][2];

static void handler(int signo) {
  double x = signo; /* dirties floating-point state */
  for (int i = 0; i < 5; i++) x = sqrt(x + i);
  CHECK(x > 0);
  atomic_fetch_add(&handled, 1);
}

static double compute(int seed) {
  double sum = 0;
  uint64_t x = (uint64_t)seed * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 2000000; i++) {
    x = x * 6364136223846793005u + 1;
    if ((x >> 33) & 1)
      sum += (double)(x >> 40) / 3;
    else
      sum -= (double)(int64_t)(x >> 41);
  }
  return sum;
}

static void *work(void *arg) {
  int me = (int)(long)arg;
  results[me][1] = compute(me + 1);
  atomic_fetch_add(&done, 1);
  return NULL;
}

int main(void) {
  struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
  pthread_t t[THREADS];
  for (int i = 0; i < THREADS; i++) results[i][0] = compute(i + 1);
  for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
  while (atomic_load(&done) < THREADS || atomic_load(&handled) == 0)
    for (int i = 0; i < THREADS; i++) CHECK(pthread_kill(t[i], SIGUSR1) == 0);
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(t[i], NULL) == 0);
    CHECK(results[i][0] == results[i][1]);
    printf("thread %d: %.6e\n", i, results[i][1]);
  }
  return 0;
}

/* 200 threads alive at the same time: they meet at a barrier twice, so all of them exist at once. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 200 };

static pthread_barrier_t meeting;
static atomic_int inside, serial;

static void *attend(void *arg) {
  int *seen = arg;
  atomic_fetch_add(&inside, 1);
  if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serial, 1);
  *seen = atomic_load(&inside);
  if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serial, 1);
  return NULL;
}

int main(void) {
  static pthread_t thread[THREADS];
  static int seen[THREADS];
  pthread_attr_t attr;
  CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, 128 << 10) == 0);
  CHECK(pthread_barrier_init(&meeting, NULL, THREADS) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&thread[i], &attr, attend, &seen[i]) == 0);
  int complete = 0;
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(thread[i], NULL) == 0);
    complete += seen[i] == THREADS;
  }
  printf("%d threads saw everyone, %d serial threads\n", complete, atomic_load(&serial));
  return 0;
}

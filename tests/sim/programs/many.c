/* many.c: many more threads than harts, some of which never make a system call: they take turns by the timer. */
#include <pthread.h>
#include <stdatomic.h>

#include "program.h"

enum { THREADS = 40 };
static _Atomic long waiting, sum;

/* All must be on the machine before any goes on: without time slices this never ends. */
static void *work(void *argument) {
  atomic_fetch_add(&waiting, 1);
  while (atomic_load_explicit(&waiting, memory_order_relaxed) < THREADS) continue;
  atomic_fetch_add(&sum, (long)argument);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("%ld %ld\n", waiting, sum);
  return 0;
}

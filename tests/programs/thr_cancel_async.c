/* Asynchronous cancellation ends a thread that does nothing but compute, and unwinds its handlers. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int running, cleaned;

static void cleanup(void *arg) {
  (void)arg;
  atomic_fetch_add(&cleaned, 1);
}

static void *compute(void *arg) {
  volatile unsigned long x = (unsigned long)arg;
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
  pthread_cleanup_push(cleanup, NULL);
  atomic_fetch_add(&running, 1);
  for (;;) x = x * 6364136223846793005ul + 1;
  pthread_cleanup_pop(0);
}

int main(void) {
  pthread_t t[4];
  for (int round = 0; round < 10; round++) {
    atomic_store(&running, 0);
    for (long i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, compute, (void *)i) == 0);
    while (atomic_load(&running) < 4) sched_yield();
    for (int i = 0; i < 4; i++) CHECK(pthread_cancel(t[i]) == 0);
    for (int i = 0; i < 4; i++) {
      void *result;
      CHECK(pthread_join(t[i], &result) == 0);
      CHECK(result == PTHREAD_CANCELED);
    }
  }
  printf("%d cleanups\n", atomic_load(&cleaned));
  return 0;
}

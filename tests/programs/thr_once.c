/* pthread_once runs once among many racing threads, and again after a cancelled first attempt. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static pthread_once_t plain = PTHREAD_ONCE_INIT, cancelled = PTHREAD_ONCE_INIT;
static atomic_int plain_runs, cancelled_runs;
static int prepared;

static void prepare(void) {
  atomic_fetch_add(&plain_runs, 1);
  for (int i = 0; i < 100; i++) sched_yield(); /* let the others arrive */
  prepared = 42;
}

static void cancel_first(void) {
  if (atomic_fetch_add(&cancelled_runs, 1) == 0) {
    CHECK(pthread_cancel(pthread_self()) == 0);
    pthread_testcancel();
  }
}

static void *race(void *arg) {
  CHECK(pthread_once(&plain, prepare) == 0);
  CHECK(prepared == 42);
  return arg;
}

static void *attempt(void *arg) {
  CHECK(pthread_once(&cancelled, cancel_first) == 0);
  return arg;
}

int main(void) {
  pthread_t t[8];
  for (int i = 0; i < 8; i++) CHECK(pthread_create(&t[i], NULL, race, NULL) == 0);
  for (int i = 0; i < 8; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("runs %d\n", atomic_load(&plain_runs));
  for (int i = 0; i < 3; i++) {
    void *result;
    CHECK(pthread_create(&t[0], NULL, attempt, NULL) == 0 && pthread_join(t[0], &result) == 0);
    printf("attempt %d %s\n", i, result == PTHREAD_CANCELED ? "cancelled" : "returned");
  }
  printf("runs %d\n", atomic_load(&cancelled_runs));
  return 0;
}

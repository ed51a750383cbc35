/* FUTEX_CMP_REQUEUE moves sleepers to a second word; FUTEX_WAKE_OP changes one word and wakes on both. */
#include "thr_futex.h"

#include <pthread.h>

#include "check.h"

enum { SLEEPERS = 5 };

static _Atomic uint32_t first, second, awake;

static void *sleeper(void *arg) {
  CHECK(futex(&first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0);
  atomic_fetch_add(&awake, 1);
  return arg;
}

static void *sleep_on(void *arg) {
  CHECK(futex(arg, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0);
  atomic_fetch_add(&awake, 1);
  return NULL;
}

int main(void) {
  pthread_t t[SLEEPERS];
  for (int i = 0; i < SLEEPERS; i++) CHECK(pthread_create(&t[i], NULL, sleeper, NULL) == 0);
  printf("compare fails: %ld\n",
         futex(&first, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)(long)INT32_MAX, &second, 1));
  long moved = 0;
  while (moved < SLEEPERS) { /* wake none, move all that sleep by now */
    long n = futex(&first, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)(long)INT32_MAX, &second, 0);
    CHECK(n >= 0);
    moved += n;
    sched_yield();
  }
  printf("moved %ld, awake %u\n", moved, atomic_load(&awake));
  printf("first wakes %ld\n", futex(&first, FUTEX_WAKE_PRIVATE, 10, NULL, NULL, 0));
  printf("second wakes %ld\n", futex(&second, FUTEX_WAKE_PRIVATE, 3, NULL, NULL, 0));
  while (atomic_load(&awake) < 3) sched_yield();
  printf("second wakes %ld\n", futex(&second, FUTEX_WAKE_PRIVATE, 10, NULL, NULL, 0));
  for (int i = 0; i < SLEEPERS; i++) CHECK(pthread_join(t[i], NULL) == 0);

  atomic_store(&awake, 0);
  CHECK(pthread_create(&t[0], NULL, sleep_on, &first) == 0);
  while (futex(&first, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1L, &second,
               FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_GT, 1000000)) == 0)
    sched_yield();
  CHECK(pthread_join(t[0], NULL) == 0);
  printf("added in fives: %s\n", atomic_load(&second) % 5 == 0 && atomic_load(&second) > 0 ? "yes" : "no");
  atomic_store(&second, 7);
  printf("set, compare equal: %ld\n", futex(&first, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1L, &second,
                                            FUTEX_OP(FUTEX_OP_XOR, 3, FUTEX_OP_CMP_EQ, 7)));
  printf("second %u\n", atomic_load(&second));
  return 0;
}

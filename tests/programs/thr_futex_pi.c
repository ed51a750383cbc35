/* FUTEX_LOCK_PI: the kernel puts owner and waiters into the word, and hands the lock over on unlock. */
#include "thr_futex.h"

#include <pthread.h>

#include "check.h"

static _Atomic uint32_t lock;
static long counter;

static void pi_lock(uint32_t tid) {
  uint32_t free_word = 0;
  if (!atomic_compare_exchange_strong(&lock, &free_word, tid))
    CHECK(futex(&lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void pi_unlock(uint32_t tid) {
  uint32_t mine = tid;
  if (!atomic_compare_exchange_strong(&lock, &mine, 0))
    CHECK(futex(&lock, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void *work(void *arg) {
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  for (int i = 0; i < 5000; i++) {
    pi_lock(tid);
    CHECK((atomic_load(&lock) & FUTEX_TID_MASK) == tid);
    counter++;
    pi_unlock(tid);
  }
  return arg;
}

static void *outsider(void *arg) {
  struct timespec past = {1, 0};
  printf("trylock %ld\n", futex(&lock, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
  printf("timeout %ld\n", futex(&lock, FUTEX_LOCK_PI_PRIVATE, 0, &past, NULL, 0));
  printf("foreign unlock %ld\n", futex(&lock, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
  return arg;
}

int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("counter %ld, word %x\n", counter, atomic_load(&lock));
  CHECK(futex(&lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
  printf("owned by caller: %d\n", (atomic_load(&lock) & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid));
  printf("deadlock %ld\n", futex(&lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0));
  CHECK(pthread_create(&t[0], NULL, outsider, NULL) == 0 && pthread_join(t[0], NULL) == 0);
  CHECK(futex(&lock, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
  return 0;
}

/* Spin locks, from the library and built of an atomic exchange, taken by more threads than cores. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static pthread_spinlock_t library_lock;
static atomic_flag own_lock = ATOMIC_FLAG_INIT;
static unsigned long first, second;

static void *work(void *arg) {
  for (unsigned long i = 0; i < 3000; i++) {
    CHECK(pthread_spin_lock(&library_lock) == 0);
    first += i;
    CHECK(pthread_spin_unlock(&library_lock) == 0);
    while (atomic_flag_test_and_set_explicit(&own_lock, memory_order_acquire)) sched_yield();
    second += i * (unsigned long)arg;
    atomic_flag_clear_explicit(&own_lock, memory_order_release);
  }
  return NULL;
}

int main(void) {
  pthread_t t[5];
  CHECK(pthread_spin_init(&library_lock, PTHREAD_PROCESS_PRIVATE) == 0);
  CHECK(pthread_spin_lock(&library_lock) == 0);
  CHECK(pthread_spin_trylock(&library_lock) == EBUSY);
  CHECK(pthread_spin_unlock(&library_lock) == 0);
  for (long i = 0; i < 5; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < 5; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("%lu %lu\n", first, second);
  return 0;
}

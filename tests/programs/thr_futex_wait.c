/* FUTEX_WAIT and FUTEX_WAKE directly: value mismatch, timeouts, wake counts, bad arguments. */
#include "thr_futex.h"

#include <pthread.h>

#include "check.h"

static _Atomic uint32_t word, released;

static void *sleeper(void *arg) {
  long result = futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  CHECK(result == 0 || result == -EAGAIN);
  atomic_fetch_add(&released, 1);
  return arg;
}

int main(void) {
  struct timespec brief = {0, 1000000}, wrong = {0, 1000000000}, past = {1, 0};
  printf("mismatch %ld\n", futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0));
  printf("timeout %ld\n", futex(&word, FUTEX_WAIT, 0, &brief, NULL, 0));
  printf("bad timeout %ld\n", futex(&word, FUTEX_WAIT, 0, &wrong, NULL, 0));
  printf("absolute %ld\n", futex(&word, FUTEX_WAIT_BITSET, 0, &past, NULL, FUTEX_BITSET_MATCH_ANY));
  printf("absolute, realtime %ld\n",
         futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &past, NULL, FUTEX_BITSET_MATCH_ANY));
  printf("empty bitset %ld\n", futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
  printf("misaligned %ld\n", futex((char *)&word + 1, FUTEX_WAIT, 0, NULL, NULL, 0));
  printf("unmapped %ld\n", futex((void *)8, FUTEX_WAIT, 0, NULL, NULL, 0));
  printf("unknown %ld\n", futex(&word, 99, 0, NULL, NULL, 0));
  printf("nobody %ld\n", futex(&word, FUTEX_WAKE, 10, NULL, NULL, 0));
  pthread_t t[6];
  for (int i = 0; i < 6; i++) CHECK(pthread_create(&t[i], NULL, sleeper, NULL) == 0);
  long woken = 0;
  while (woken < 4) { /* two at a time, only as many as really sleep are counted */
    int most = woken < 3 ? 2 : 1;
    long n = futex(&word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
    CHECK(n >= 0 && n <= most);
    woken += n;
    if (n == 0) sched_yield();
  }
  while (atomic_load(&released) < 4) sched_yield();
  printf("released %u\n", atomic_load(&released));
  atomic_store(&word, 1);
  futex(&word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
  for (int i = 0; i < 6; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("released %u\n", atomic_load(&released));
  return 0;
}

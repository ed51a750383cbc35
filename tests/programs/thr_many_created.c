/* 10,000 threads created and joined in one process: nothing per thread may leak or run out. */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { ROUNDS = 2500, AT_ONCE = 4 };

static __thread unsigned touched;

static void *work(void *arg) {
  CHECK(touched == 0); /* a reused stack must not bring its old thread-local values along */
  touched = 1;
  return (void *)((uintptr_t)arg * 3);
}

int main(void) {
  uint64_t sum = 0;
  for (uintptr_t round = 0; round < ROUNDS; round++) {
    pthread_t thread[AT_ONCE];
    for (uintptr_t i = 0; i < AT_ONCE; i++)
      CHECK(pthread_create(&thread[i], NULL, work, (void *)(round * AT_ONCE + i)) == 0);
    for (int i = 0; i < AT_ONCE; i++) {
      void *result;
      CHECK(pthread_join(thread[i], &result) == 0);
      sum += (uintptr_t)result;
    }
  }
  printf("%d threads, sum %lu\n", ROUNDS * AT_ONCE, (unsigned long)sum);
  return 0;
}

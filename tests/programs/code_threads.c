/* Each thread generates, runs and throws away code of its own, all at the same time. */
#include <pthread.h>

#include "jit.h"

static void *work(void *arg) {
  uint32_t me = (uint32_t)(uintptr_t)arg, sum = 0;
  byte *page = jit_map(JIT_PAGE);
  for (uint32_t i = 0; i < 2000; i++) {
    if (i % 100 == 99) {
      CHECK(munmap(page, JIT_PAGE) == 0); /* another thread may get the address next */
      page = jit_map(JIT_PAGE);
    }
    byte *f = page + i % 8 * 256;
    jit_constant(f, me * 1000000 + i);
    CHECK(jit_call(f) == me * 1000000 + i);
    sum += jit_call(f);
  }
  return (void *)(uintptr_t)sum;
}

int main(void) {
  pthread_t t[4];
  for (uintptr_t i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < 4; i++) {
    void *sum;
    CHECK(pthread_join(t[i], &sum) == 0);
    printf("thread %d: %lu\n", i, (unsigned long)(uintptr_t)sum);
  }
  return 0;
}

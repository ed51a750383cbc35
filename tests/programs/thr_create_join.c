/* Threads get their argument, run, and hand their return value to pthread_join. */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

static void *triangle(void *arg) {
  uintptr_t n = (uintptr_t)arg, sum = 0;
  for (uintptr_t i = 1; i <= n; i++) sum += i;
  return (void *)sum;
}

static void *exits_explicitly(void *arg) {
  pthread_exit((char *)arg + 1);
}

int main(void) {
  pthread_t t[16];
  for (uintptr_t i = 0; i < 16; i++) CHECK(pthread_create(&t[i], NULL, triangle, (void *)(i * 1000)) == 0);
  for (int i = 15; i >= 0; i--) {
    void *result;
    CHECK(pthread_join(t[i], &result) == 0);
    printf("thread %d: %lu\n", i, (unsigned long)(uintptr_t)result);
  }
  void *result;
  CHECK(pthread_create(&t[0], NULL, exits_explicitly, (void *)41) == 0);
  CHECK(pthread_join(t[0], &result) == 0);
  printf("pthread_exit: %lu\n", (unsigned long)(uintptr_t)result);
  return 0;
}

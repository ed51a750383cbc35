/* Stacks the program provides: used where given, unmapped after the join, reused for the next thread. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { SIZE = 256 << 10 };

static char *base;

static void *inside(void *arg) {
  char local[50000];
  memset(local, (int)(long)arg, sizeof local);
  CHECK((uintptr_t)local >= (uintptr_t)base && (uintptr_t)local < (uintptr_t)base + SIZE);
  pthread_attr_t attr;
  void *stack;
  size_t size;
  CHECK(pthread_getattr_np(pthread_self(), &attr) == 0);
  CHECK(pthread_attr_getstack(&attr, &stack, &size) == 0);
  CHECK(stack == base && size == SIZE);
  CHECK(pthread_attr_destroy(&attr) == 0);
  long sum = 0;
  for (size_t i = 0; i < sizeof local; i++) sum += local[i];
  return (void *)sum;
}

int main(void) {
  for (long round = 1; round <= 50; round++) {
    base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    CHECK(base != MAP_FAILED);
    pthread_attr_t attr;
    pthread_t t;
    void *result;
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstack(&attr, base, SIZE) == 0);
    for (int again = 0; again < 2; again++) {
      CHECK(pthread_create(&t, &attr, inside, (void *)round) == 0 && pthread_join(t, &result) == 0);
      CHECK((long)result == round * 50000);
    }
    CHECK(munmap(base, SIZE) == 0);
  }
  puts("50 stacks used twice and unmapped");
  return 0;
}

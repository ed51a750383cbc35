/* reserved.c: threads that do much between a load-reserved and its store-conditional, and are interrupted there, while others store to the same word. */
#include <pthread.h>

#include "program.h"

enum { THREADS = 8, ROUNDS = 20, DELAY = 400 };

static uint64_t word;

static uint64_t try_add(uint64_t *at) {
  uint64_t value, failed, n = DELAY;
  __asm__ volatile(
      "lr.d %0, (%3)\n"
      "1: addi %2, %2, -1\n"
      "bnez %2, 1b\n"
      "addi %0, %0, 1\n"
      "sc.d %1, %0, (%3)"
      : "=&r"(value), "=&r"(failed), "+&r"(n)
      : "r"(at)
      : "memory");
  return !failed;
}

static void *add(void *number) {
  for (int i = 0; i < ROUNDS; i++) {
    if ((long)number % 2)
      __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
    else
      while (!try_add(&word)) continue;
    for (volatile int n = 0; n < 20 * (int)(long)number; n++) continue;
  }
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  for (long n = 0; n < THREADS; n++) CHECK(!pthread_create(&thread[n], NULL, add, (void *)n));
  for (int n = 0; n < THREADS; n++) CHECK(!pthread_join(thread[n], NULL));
  printf("%lu\n", (unsigned long)word);
  return 0;
}

/* Four threads call `add` 2,000 times each, and a last one reads the sum. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, CALLS = 2000 };
static int total;
static __thread int own = 7;

__attribute__((noinline)) static void add(int amount) {
  own += amount;
  __atomic_fetch_add(&total, amount, __ATOMIC_SEQ_CST);
}

static void *work(void *argument) {
  for (int i = 0; i < CALLS; i++) add(1);
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  puts("begin");
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("%d\n", total);
  return 3;
}

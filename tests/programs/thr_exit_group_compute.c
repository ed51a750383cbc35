/* Returning from main ends the process while other threads are in endless compute loops. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

static atomic_int running;

static void *spin(void *arg) {
  volatile long x = (long)arg;
  atomic_fetch_add(&running, 1);
  for (;;) x += x * 3 + 1;
  return NULL;
}

static void *spin_empty(void *arg) {
  (void)arg;
  atomic_fetch_add(&running, 1);
  for (;;) __asm__ volatile("");
  return NULL;
}

static void *spin_calls(void *arg) {
  atomic_fetch_add(&running, 1);
  for (unsigned i = 0;; i++) free(malloc(i % 1000 + 1 + (arg != NULL)));
  return NULL;
}

static void bye(void) {
  puts("exit handler ran");
}

int main(void) {
  pthread_t t[3];
  CHECK(atexit(bye) == 0);
  CHECK(pthread_create(&t[0], NULL, spin, NULL) == 0);
  CHECK(pthread_create(&t[1], NULL, spin_empty, NULL) == 0);
  CHECK(pthread_create(&t[2], NULL, spin_calls, NULL) == 0);
  while (atomic_load(&running) < 3) sched_yield();
  puts("all running");
  return 3;
}

/* Threads execute code for the first time at the same moment: each translates blocks that the others enter, leave and link meanwhile. What is
 * kept of such blocks is compared with new translations where stored code is (tests/run --cache, and the engine `lasting`). */
#include <pthread.h>
#include <stdio.h>

#include "check.h"

enum { THREADS = 4, FUNCTIONS = 1024 };

/* Each ends in two ways and calls the next one but 15: several exits to be linked. */
#define NEW(n)                                                    \
  __attribute__((noinline)) static unsigned new_##n(unsigned x) { \
    x = x * 2654435761u + 0x##n;                                  \
    if (x & 16) x ^= x >> 7;                                      \
    return x & 32 ? x + 1 : x ^ 5;                                \
  }
#define FOUR(f, n) f(n##0) f(n##1) f(n##2) f(n##3)
#define SIXTEEN(f, n) FOUR(f, n##0) FOUR(f, n##1) FOUR(f, n##2) FOUR(f, n##3)
#define SIXTY_FOUR(f, n) SIXTEEN(f, n##0) SIXTEEN(f, n##1) SIXTEEN(f, n##2) SIXTEEN(f, n##3)
#define MANY(f, n) SIXTY_FOUR(f, n##0) SIXTY_FOUR(f, n##1) SIXTY_FOUR(f, n##2) SIXTY_FOUR(f, n##3)
#define ALL(f) MANY(f, 0) MANY(f, 1) MANY(f, 2) MANY(f, 3)
ALL(NEW)
#define NAME(n) new_##n,
static unsigned (*const function[])(unsigned) = {ALL(NAME)};

static unsigned result[THREADS];
static pthread_barrier_t barrier;

static void *run(void *argument) {
  unsigned me = (unsigned)(unsigned long)argument, x = 1;
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    if (i % 32 == 0) pthread_barrier_wait(&barrier);
    x = function[i](x);
  }
  result[me] = x;
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  CHECK(sizeof function / sizeof *function == FUNCTIONS);
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (unsigned long i = 0; i < THREADS; i++) CHECK(!pthread_create(&thread[i], NULL, run, (void *)i));
  for (unsigned i = 0; i < THREADS; i++) CHECK(!pthread_join(thread[i], NULL));
  for (unsigned i = 1; i < THREADS; i++) CHECK(result[i] == result[0]);
  printf("%x\n", result[0]);
  return 0;
}

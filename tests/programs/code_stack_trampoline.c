/* Trampolines of nested functions, which gcc puts on an executable stack, made anew at every depth. */
/* compiler: gcc */
/* cflags: -Wl,-z,execstack -Wno-trampolines */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

static __attribute__((noinline)) long apply(long (*f)(long), long x) {
  return f(x);
}

static __attribute__((noinline)) long recurse(int depth, long (*outer)(long)) {
  long add(long x) {
    return outer(x) + depth;
  }
  return depth == 0 ? apply(outer, 1) : recurse(depth - 1, add);
}

static long identity(long x) {
  return x;
}

static void *sort_in_thread(void *arg) {
  long key = (long)arg, values[64];
  int by_distance(const void *a, const void *b) {
    long da = labs(*(const long *)a - key), db = labs(*(const long *)b - key);
    return da != db ? (da > db) - (da < db) : (*(const long *)a > *(const long *)b) * 2 - 1;
  }
  for (int i = 0; i < 64; i++) values[i] = i * 37 % 64;
  qsort(values, 64, sizeof values[0], by_distance);
  return (void *)(values[0] * 10000 + values[1] * 100 + values[63]);
}

int main(void) {
  for (int depth = 1; depth <= 256; depth *= 4) printf("depth %d: %ld\n", depth, recurse(depth, identity));
  pthread_t t[3];
  for (long i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, sort_in_thread, (void *)(i * 20 + 5)) == 0);
  for (int i = 0; i < 3; i++) {
    void *result;
    CHECK(pthread_join(t[i], &result) == 0);
    printf("thread %d: %ld\n", i, (long)result);
  }
  return 0;
}

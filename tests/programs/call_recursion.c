/* 100,000 frames of recursion, direct, mutual, through a pointer, and all the way back. */
#include <pthread.h>

#include "check.h"

static __attribute__((noinline)) unsigned long direct(unsigned long n, unsigned long x) {
  if (n == 0) return x;
  unsigned long below = direct(n - 1, x * 3 + n);
  return below ^ (n * 2654435761u); /* work after the call: no tail call */
}

static unsigned long odd(unsigned long n);
static __attribute__((noinline)) unsigned long even(unsigned long n) {
  return n == 0 ? 1 : odd(n - 1) * 5 + 1;
}
static __attribute__((noinline)) unsigned long odd(unsigned long n) {
  return n == 0 ? 2 : even(n - 1) * 7 + 2;
}

static unsigned long (*volatile pointer)(unsigned long);
static __attribute__((noinline)) unsigned long through_pointer(unsigned long n) {
  return n == 0 ? 3 : pointer(n - 1) + n;
}

static unsigned long ackermann(unsigned long m, unsigned long n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void *all(void *arg) {
  unsigned long n = (unsigned long)arg;
  pointer = through_pointer;
  printf("%016lx %016lx %lu\n", direct(n, 1), even(n), through_pointer(n));
  return NULL;
}

int main(void) {
  all((void *)100000);
  pthread_attr_t attr;
  pthread_t t;
  CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, 32 << 20) == 0);
  CHECK(pthread_create(&t, &attr, all, (void *)200000) == 0 && pthread_join(t, NULL) == 0);
  printf("%lu\n", ackermann(2, 300));
  return 0;
}

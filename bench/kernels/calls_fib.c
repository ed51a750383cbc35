/* Recursive calls, two per activation: nothing but calls, returns and the saving of two registers. Not
   inlined, because the point is the call. */
#include "kernel.h"

static __attribute__((noinline)) uint64_t fib(unsigned n) {
  if (n < 2) return n;
  return fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 300);
  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) sum = sum * 31 + fib(29 + (unsigned)(i & 1));
  return kernel_report("calls_fib", sum);
}

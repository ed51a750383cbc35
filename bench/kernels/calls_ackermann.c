/* Deep recursion: Ackermann's function descends thousands of activations and returns through all of them,
   deeper than any return predictor remembers. Natively most returns are mispredicted, which a translator that
   turns them into indirect jumps escapes: read its ratio for correctness of deep stacks, not for speed. */
#include "kernel.h"

static __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 24);
  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) sum = sum * 31 + ackermann(3, 8 + (unsigned)(i & 1));
  return kernel_report("calls_ackermann", sum);
}

/* alloca, variable-length arrays and over-aligned locals move the stack pointer by data. */
#include <alloca.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static __attribute__((noinline)) unsigned use(unsigned char *p, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(seed + i * 7);
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++) sum = sum * 31 + p[i];
  return sum;
}

static __attribute__((noinline)) unsigned in_loop(size_t rounds) {
  unsigned sum = 0;
  unsigned char *last = NULL;
  for (size_t i = 1; i <= rounds; i++) {
    unsigned char *p = alloca(i * 3); /* all live until the return */
    if (last) CHECK(p < last);
    last = p;
    sum += use(p, i * 3, (unsigned)i);
  }
  return sum;
}

static __attribute__((noinline)) unsigned variable(size_t n, int depth) {
  unsigned char a[n], b[n / 2 + 1];
  unsigned sum = use(a, n, 1) ^ use(b, n / 2 + 1, 2);
  if (depth > 0) sum += variable(n + (size_t)depth, depth - 1);
  return sum + a[n - 1];
}

static __attribute__((noinline)) unsigned aligned(int depth) {
  unsigned char block[100] __attribute__((aligned(256)));
  CHECK((uintptr_t)block % 256 == 0);
  unsigned sum = use(block, sizeof block, (unsigned)depth);
  return depth > 0 ? sum + aligned(depth - 1) * 3 : sum;
}

int main(void) {
  printf("%u\n%u\n%u\n", in_loop(300), variable(10, 200), aligned(100));
  unsigned char *big = alloca(1 << 20); /* far below the pages touched so far */
  big[0] = 1;
  printf("%u\n", use(big, 1 << 20, 9) + big[0]);
  return 0;
}

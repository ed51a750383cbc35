/* Ten million tail calls, direct and indirect, in constant stack; function pointers chosen by data. */
#include <stdint.h>

#include "check.h"

typedef uint64_t (*step)(uint64_t n, uint64_t x, uintptr_t base);

static uint64_t ping(uint64_t n, uint64_t x, uintptr_t base);
static uint64_t pong(uint64_t n, uint64_t x, uintptr_t base);
static uint64_t jump(uint64_t n, uint64_t x, uintptr_t base);

static const step table[4] = {ping, pong, jump, ping};

static __attribute__((noinline)) void check_depth(uintptr_t base) {
  char here;
  CHECK(base - (uintptr_t)&here < 4096); /* a real call would have used megabytes by now */
}

static __attribute__((noinline)) uint64_t ping(uint64_t n, uint64_t x, uintptr_t base) {
  if (n == 0) return x;
  if (n % 65536 == 0) check_depth(base);
  return pong(n - 1, x * 31 + n, base);
}

static __attribute__((noinline)) uint64_t pong(uint64_t n, uint64_t x, uintptr_t base) {
  if (n == 0) return x;
  return table[(x >> 13) & 3](n - 1, x ^ n, base);
}

static __attribute__((noinline)) uint64_t jump(uint64_t n, uint64_t x, uintptr_t base) {
  if (n == 0) return x + 1;
  return table[(x >> 7) & 3](n - 1, x * 6364136223846793005u + 1, base);
}

int main(void) {
  char here;
  for (uint64_t n = 10; n <= 10000000; n *= 100)
    printf("%016lx\n", (unsigned long)ping(n, 1, (uintptr_t)&here));
  return 0;
}

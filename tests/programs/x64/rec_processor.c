/* What only the processor knows goes out through a write, so that a replay in which it is another fails: time stamps, processor
 * and random numbers, identity, state masks. */
#include <cpuid.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>

#include "check.h"

static uint64_t values[64];
static unsigned count;

static void add(uint64_t value) {
  values[count++] = value;
}

static void state_mask(uint32_t which) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(which));
  add((uint64_t)high << 32 | low);
}

static void identity(uint32_t leaf, uint32_t subleaf) {
  uint32_t a, b, c, d;
  __cpuid_count(leaf, subleaf, a, b, c, d);
  add((uint64_t)a << 32 | b);
  add((uint64_t)c << 32 | d);
}

/* Instructions that are there are used, the others left out: also where cpuid hides them from a recorded program. */
__attribute__((target("rdrnd,rdseed,rdpid"))) static void random_numbers(void) {
  uint32_t a, b, c, d;
  unsigned long long value = 0;
  __cpuid(1, a, b, c, d);
  if (c & bit_RDRND) add((uint64_t)_rdrand64_step(&value)), add(value);
  __cpuid_count(7, 0, a, b, c, d);
  if (b & bit_RDSEED) add((uint64_t)_rdseed64_step(&value)), add(value);
  if (c & bit_RDPID) {
    uint64_t id;
    __asm__ volatile("rdpid %0" : "=r"(id));
    add(id);
  }
}

int main(void) {
  unsigned processor;
  int out = open("/dev/null", O_WRONLY);
  CHECK(out >= 0);
  add(__rdtsc());
  add(__rdtscp(&processor));
  add(processor);
  random_numbers();
  for (uint32_t leaf = 0; leaf < 8; leaf++) identity(leaf, 0);
  identity(0xd, 0);
  identity(0xd, 1);
  identity(0xb, 0); /* has the processor's number */
  state_mask(0);
  state_mask(1);
  __asm__ volatile("rdfsbase %0" : "=r"(values[count]));
  count++;
  CHECK(write(out, values, count * sizeof *values) == (ssize_t)(count * sizeof *values));
  printf("done\n");
  return 0;
}

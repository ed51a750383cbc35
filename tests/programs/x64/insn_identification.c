/* cpuid, rdtsc, rdtscp, rdrand, rdseed, xgetbv: plausible, monotonic, steady where they must be. */
/* cflags: -mrdrnd -mrdseed -mxsave */
#include <cpuid.h>
#include <x86intrin.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static void identification(void) {
  unsigned a, b, c, d, a2, b2, c2, d2;
  char vendor[13] = "", brand[49] = "";
  __cpuid(0, a, b, c, d);
  memcpy(vendor, &b, 4), memcpy(vendor + 4, &d, 4), memcpy(vendor + 8, &c, 4);
  CHECK(a >= 7 && strlen(vendor) == 12);
  __cpuid_count(7, 0, a, b, c, d);
  __cpuid_count(7, 0, a2, b2, c2, d2);
  CHECK(a == a2 && b == b2 && c == c2 && d == d2);
  CHECK((int)(b >> 5 & 1) == (__builtin_cpu_supports("avx2") != 0) || !__builtin_cpu_supports("avx"));
  for (unsigned i = 0; i < 3; i++) {
    __cpuid(0x80000002 + i, a, b, c, d);
    memcpy(brand + 16 * i, (unsigned[]){a, b, c, d}, 16);
  }
  __cpuid(1, a, b, c, d);
  CHECK(d & 1 << 26); /* SSE2: this is a 64-bit program */
  uint64_t rax = 0xffffffff00000000, rbx = ~0ul, rcx = ~0ul << 32, rdx = ~0ul; /* upper halves are cleared */
  __asm__ volatile("cpuid" : "+a"(rax), "+b"(rbx), "+c"(rcx), "+d"(rdx));
  CHECK(rax >> 32 == 0 && rbx >> 32 == 0 && rcx >> 32 == 0 && rdx >> 32 == 0);
  printf("vendor %s, brand %s\n", vendor, brand);
}

static void time_stamps(void) {
  unsigned aux, cpus = 0;
  uint64_t last = 0;
  for (int i = 0; i < 1000; i++) {
    uint64_t now = i & 1 ? __rdtsc() : __rdtscp(&aux);
    CHECK(now >= last);
    cpus |= aux >> 12; /* the node number: zero on small machines, at any rate a small one */
    last = now;
  }
  uint64_t rax = ~0ul, rdx = ~0ul;
  __asm__ volatile("rdtsc" : "+a"(rax), "+d"(rdx));
  CHECK(rax >> 32 == 0 && rdx >> 32 == 0 && (rdx << 32 | rax) >= last && cpus < 1024);
}

static int distinct(const uint64_t *v, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) count += v[i] == v[j];
  return count == 0;
}

static void random_numbers(void) {
  unsigned a, b, c, d;
  unsigned long long v;
  uint64_t seen[20];
  __cpuid(1, a, b, c, d);
  if (c & 1 << 30) {
    for (int i = 0; i < 20; i++) {
      while (!_rdrand64_step(&v)) continue;
      seen[i] = v;
    }
    CHECK(distinct(seen, 20));
  }
  __cpuid_count(7, 0, a, b, c, d);
  if (b & 1 << 18) {
    for (int i = 0; i < 5; i++) {
      while (!_rdseed64_step(&v)) _mm_pause();
      seen[i] = v;
    }
    CHECK(distinct(seen, 5));
  }
}

int main(void) {
  unsigned a, b, c, d;
  identification();
  time_stamps();
  random_numbers();
  __cpuid(1, a, b, c, d);
  if (c & 1 << 27) {
    uint64_t xcr0 = _xgetbv(0);
    CHECK((xcr0 & 3) == 3);
    CHECK(!__builtin_cpu_supports("avx512f") || (xcr0 & 0xe6) == 0xe6);
  }
  puts("plausible");
  return 0;
}

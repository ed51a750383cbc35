/* fxsave, xsave, xsavec, xsaveopt and their restores bring all vector and x87 state back. */
/* cflags: -mxsave -mxsavec -mxsaveopt -mfxsr */
#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "digest.h"

static unsigned char area[16384] __attribute__((aligned(64)));
static unsigned char before[32], after[32];

static void fill(int seed) {
  for (int i = 0; i < 32; i++) before[i] = (unsigned char)(i * seed + 3);
}

/* One kind of save: load ymm7 and st(0), save, destroy, restore, compare. */
#define ROUND_TRIP(name, save, restore)                                                                \
  do {                                                                                                 \
    double x = 1.25, back = 0;                                                                         \
    memset(area, 0, sizeof area);                                                                      \
    memset(after, 0, sizeof after);                                                                    \
    fill(__LINE__);                                                                                    \
    __asm__ volatile("fninit\nfldl %4\nvmovdqu %5, %%ymm7\nmov $-1, %%eax\nmov $-1, %%edx\n" save      \
                     " %2\n"                                                                           \
                     "fninit\nfldz\nfldz\nvzeroall\nmov $-1, %%eax\nmov $-1, %%edx\n" restore          \
                     " %2\n"                                                                           \
                     "vmovdqu %%ymm7, %1\nfstpl %0\nvzeroupper\nfninit"                                \
                     : "=m"(back), "=m"(after), "+m"(area), "=m"(before)                               \
                     : "m"(x), "m"(before)                                                             \
                     : "rax", "rdx", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");  \
    int low = memcmp(before, after, 16) == 0, high = memcmp(before + 16, after + 16, 16) == 0;         \
    printf("%s: x87 %g, xmm %d, ymm upper %d\n", name, back, low, high);                               \
  } while (0)

__attribute__((target("avx"))) static void with_avx(unsigned features) {
  ROUND_TRIP("fxsave", "fxsave64", "fxrstor64");
  ROUND_TRIP("xsave", "xsave64", "xrstor64");
  if (features & 1) ROUND_TRIP("xsaveopt", "xsaveopt64", "xrstor64");
  if (features & 2) ROUND_TRIP("xsavec", "xsavec64", "xrstor64");
}

/* Upper halves that are zero count as unused once they were restored, or all that is old and new in turn takes long from
   then on. A processor may keep worse books than that; one that says so by itself must not be made to. */
__attribute__((target("avx"))) static void zero_halves(void) {
  uint64_t uses = 0, header;
  memset(area, 0, sizeof area);
  __asm__ volatile("vzeroupper" ::: "memory");
  _xsavec64(area, 7);
  _xrstor64(area, 7);
  memcpy(&header, area + 512, 8);
  __asm__ volatile("xgetbv" : "=a"(uses) : "c"(1) : "rdx");
  printf("zero halves: %s, %s\n", header & 4 ? "marked" : "unmarked", uses & 4 ? "used" : "unused");
}

static void partial_masks(void) {
  unsigned char small[512] __attribute__((aligned(64)));
  _fxsave64(small);
  printf("fxsave: control %02x%02x, mxcsr mask set %d\n", small[1], small[0], small[28] != 0);
  memset(area, 0, sizeof area);
  _xsave64(area, 2); /* SSE only: the header says so */
  uint64_t header;
  memcpy(&header, area + 512, 8);
  CHECK((header & ~2ul) == 0);
  float zero[4] = {1, 2, 3, 4};
  memset(area, 0, sizeof area); /* an all-zero header means: initial state */
  __asm__ volatile(
      "movups %0, %%xmm3\nmov $2, %%eax\nxor %%edx, %%edx\nmovl $0x1f80, 24+%1\nxrstor64 %1\nmovups %%xmm3, "
      "%0"
      : "+m"(zero), "+m"(area)::"rax", "rdx", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  printf("initialised: %g %g\n", (double)zero[0], (double)zero[3]);
}

int main(void) {
  unsigned a, b, c, d;
  if (!__builtin_cpu_supports("avx")) {
    puts("skipped: needs avx");
    return 0;
  }
  __cpuid_count(13, 1, a, b, c, d);
  with_avx(a);
  if ((a & 6) == 6) zero_halves();
  partial_masks();
  return 0;
}

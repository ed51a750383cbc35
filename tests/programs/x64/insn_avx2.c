/* AVX, AVX2 and FMA: gathers with faulting and masked lanes, permutes, masked stores, upper halves. */
/* cflags: -mavx2 -mfma */
#include <immintrin.h>

#include "digest.h"
#include "jit.h"
#include "trap.h"

static int table[64];
static int *volatile gather_base;
static __m256i gather_result;

static void show(const char *name, __m256i v) {
  digest_bytes(&v, 32);
  digest_print(name);
}

static void gather_at_base(void) { /* lanes 0 and 3 lie on a page that is not there */
  __m256i index = _mm256_setr_epi32(1024, 1, 2, 1025, 4, 5, 6, 7), mask = _mm256_set1_epi32(-1);
  gather_result = _mm256_mask_i32gather_epi32(_mm256_set1_epi32(-9), gather_base, index, mask, 4);
}

static void masked_gather_at_base(void) {
  __m256i index = _mm256_setr_epi32(1024, 1, 2, 1025, 4, 5, 6, 7);
  __m256i mask = _mm256_setr_epi32(0, -1, -1, 0, -1, -1, -1, -1);
  gather_result = _mm256_mask_i32gather_epi32(_mm256_set1_epi32(-9), gather_base, index, mask, 4);
}

static void gathers(void) {
  __m256i index = _mm256_setr_epi32(3, 60, 7, 7, 0, 12, 33, 59);
  show("vpgatherdd", _mm256_i32gather_epi32(table, index, 4));
  show("vpgatherdq", _mm256_i32gather_epi64((void *)table, _mm256_castsi256_si128(index), 4));
  show("vgatherqpd", _mm256_castpd_si256(_mm256_i64gather_pd(
                         (void *)table, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(index)), 4)));
  byte *p = jit_map(2 * JIT_PAGE);
  CHECK(munmap(p + JIT_PAGE, JIT_PAGE) == 0);
  gather_base = (int *)(void *)p;
  for (int i = 0; i < 8; i++) gather_base[i] = i * 11;
  CHECK(trap_run(gather_at_base) == 1);
  printf("%s, address %+ld\n", trap_name(trap_seen.signo), (long)(trap_seen.address - (uintptr_t)p));
  CHECK(trap_run(masked_gather_at_base) == 0);
  show("masked gather", gather_result);
}

static void rest(void) {
  __m256i a = _mm256_loadu_si256((void *)table), b = _mm256_loadu_si256((void *)(table + 13));
  show("vpermd", _mm256_permutevar8x32_epi32(a, b));
  show("vpermq", _mm256_permute4x64_epi64(a, 0x72));
  show("vpalignr", _mm256_alignr_epi8(a, b, 7));
  show("vpsllvd", _mm256_sllv_epi32(a, _mm256_srli_epi32(b, 28)));
  show("vpblendd", _mm256_blend_epi32(a, b, 0x5a));
  show("vpsadbw", _mm256_sad_epu8(a, b));
  show("fma", _mm256_castps_si256(
                  _mm256_fmaddsub_ps(_mm256_cvtepi32_ps(a), _mm256_cvtepi32_ps(b), _mm256_set1_ps(0.1f))));
  int out[8] = {0};
  _mm256_maskstore_epi32(out, _mm256_setr_epi32(-1, 0, -1, 0, 0, -1, 0, 0), a);
  show("vpmaskmovd", _mm256_loadu_si256((void *)out));
  __m256i upper = a;
  __asm__ volatile("vmovdqa %0, %%ymm1\npaddd %%xmm1, %%xmm1\nvmovdqa %%ymm1, %0" /* keeps the upper half */
                   : "+m"(upper)::"xmm1");
  show("legacy sse on ymm", upper);
  __asm__ volatile("vmovdqa %0, %%ymm1\nvpaddd %%xmm1, %%xmm1, %%xmm1\nvmovdqa %%ymm1, %0"
                   : "+m"(upper)::"xmm1");
  show("vex.128 on ymm", upper);
  __asm__ volatile("vmovdqa %0, %%ymm1\nvzeroupper\nvmovdqa %%ymm1, %0" : "+m"(upper)::"xmm1");
  show("vzeroupper", upper);
}

int main(void) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    puts("skipped: needs avx2 and fma");
    return 0;
  }
  for (int i = 0; i < 64; i++) table[i] = i * 0x01234567 + (i << 27);
  trap_install();
  gathers();
  rest();
  return 0;
}

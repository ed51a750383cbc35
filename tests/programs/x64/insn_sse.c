/* A walk through MMX, SSE to SSE4.2: shuffles, packs, saturation, compares, conversions, dot products. */
/* cflags: -msse4.2 */
#include <immintrin.h>

#include "check.h"
#include "digest.h"

static void show(const char *name, __m128i v) {
  digest_bytes(&v, 16);
  digest_print(name);
}

static void integers(__m128i a, __m128i b) {
  show("pshufb", _mm_shuffle_epi8(a, b));
  show("packuswb", _mm_packus_epi16(a, b));
  show("packssdw", _mm_packs_epi32(a, b));
  show("paddusb", _mm_adds_epu8(a, b));
  show("psubsw", _mm_subs_epi16(a, b));
  show("pmaddwd", _mm_madd_epi16(a, b));
  show("pmaddubsw", _mm_maddubs_epi16(a, b));
  show("pmulhrsw", _mm_mulhrs_epi16(a, b));
  show("psadbw", _mm_sad_epu8(a, b));
  show("mpsadbw", _mm_mpsadbw_epu8(a, b, 5));
  show("phaddsw", _mm_hadds_epi16(a, b));
  show("pblendvb", _mm_blendv_epi8(a, b, _mm_cmpgt_epi8(a, b)));
  show("pcmpgtq", _mm_cmpgt_epi64(a, b));
  show("pminsd", _mm_min_epi32(a, b));
  show("pmuldq", _mm_mul_epi32(a, b));
  show("phminposuw", _mm_minpos_epu16(a));
  show("pslldq", _mm_slli_si128(a, 5));
  show("psraw", _mm_sra_epi16(a, _mm_cvtsi32_si128(3)));
  show("pmovsxbd", _mm_cvtepi8_epi32(a));
  show("insertps", _mm_castps_si128(_mm_insert_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x9a)));
  printf("pmovmskb %x, ptest %d, crc32 %08x\n", _mm_movemask_epi8(a), _mm_testz_si128(a, b),
         (unsigned)_mm_crc32_u64(_mm_crc32_u8(7, 0x55), 0x123456789abcdef));
}

static void strings(void) {
  char text[17] = "same instruction", set[17] = "aeiou\0xxxxxxxxxx";
  __m128i t = _mm_loadu_si128((void *)text), s = _mm_loadu_si128((void *)set);
  printf("pcmpistri %d %d %d, ", _mm_cmpistri(s, t, 0), _mm_cmpistri(s, t, 0x40), _mm_cmpistri(t, s, 0x0c));
  printf("flags %d %d %d\n", _mm_cmpistrc(s, t, 0), _mm_cmpistrz(s, t, 0), _mm_cmpistro(s, t, 0));
  for (int n = 0; n <= 16; n += 4) {
    show("pcmpestrm", _mm_cmpestrm(s, n, t, 16 - n, 0x40));
    printf("pcmpestri %d\n", _mm_cmpestri(s, n, t, 16 - n, 0x18));
  }
}

static void floats(__m128 x, __m128d d) {
  show("addsubps", _mm_castps_si128(_mm_addsub_ps(x, _mm_movehdup_ps(x))));
  show("haddpd", _mm_castpd_si128(_mm_hadd_pd(d, d)));
  show("dpps", _mm_castps_si128(_mm_dp_ps(x, x, 0x7b)));
  show("roundps", _mm_castps_si128(_mm_round_ps(x, _MM_FROUND_TO_NEG_INF)));
  show("sqrtpd", _mm_castpd_si128(_mm_sqrt_pd(d)));
  show("cmpltps", _mm_castps_si128(_mm_cmplt_ps(x, _mm_shuffle_ps(x, x, 0x1b))));
  show("cvttps2dq", _mm_cvttps_epi32(x));
  show("cvtpd2ps", _mm_castps_si128(_mm_cvtpd_ps(d)));
  show("minps", _mm_castps_si128(_mm_min_ps(x, _mm_set1_ps(__builtin_nanf("")))));
}

static void mmx(void) {
  __m64 a = _mm_set_pi16(1, -2, 30000, -30000), b = _mm_set_pi16(5, 6, 30000, -30000);
  __m64 sum = _mm_adds_pi16(a, b), shuffled = _mm_shuffle_pi16(sum, 0x1b);
  digest_bytes(&sum, 8), digest_bytes(&shuffled, 8);
  show("mmx", _mm_movpi64_epi64(_mm_madd_pi16(a, b)));
  _mm_empty();
}

int main(void) {
  if (!__builtin_cpu_supports("sse4.2")) {
    puts("skipped: needs sse4.2");
    return 0;
  }
  integers(_mm_set_epi32(0x12345678, (int)0x9abcdef0, 0x0f1e2d3c, (int)0x80ff7f01),
           _mm_set_epi32((int)0x89070605, 0x04030201, (int)0x8fe07f80, 0x10203040));
  strings();
  floats(_mm_set_ps(1.5f, -2.25f, 3e5f, -1e-3f), _mm_set_pd(2.0, 1e300));
  mmx();
  return 0;
}

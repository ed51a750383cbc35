/* AES, SHA, carry-less multiplication and Galois-field instructions, where the processor has them. */
/* cflags: -maes -mpclmul -msha -mgfni -msse4.1 */
#include <immintrin.h>

#include "digest.h"
#include "feature.h"

static void show(const char *name, __m128i v) {
  digest_bytes(&v, 16);
  digest_print(name);
}

int main(void) {
  __m128i a = _mm_set_epi32(0x12345678, (int)0x9abcdef0, 0x0f1e2d3c, 0x4b5a6978),
          b = _mm_set1_epi32(0x01020408);
  if (feature(1, FEATURE_ECX, 25)) {
    show("aesenc", _mm_aesenc_si128(a, b));
    show("aesdeclast", _mm_aesdeclast_si128(a, b));
    show("aesimc", _mm_aesimc_si128(a));
    show("aeskeygenassist", _mm_aeskeygenassist_si128(a, 0x1b));
  } else {
    puts("skipped: aes");
  }
  if (feature(1, FEATURE_ECX, 1))
    show("pclmulqdq", _mm_clmulepi64_si128(a, b, 0x10));
  else
    puts("skipped: pclmulqdq");
  if (feature(7, FEATURE_EBX, 29)) {
    show("sha1rnds4", _mm_sha1rnds4_epu32(a, b, 2));
    show("sha1nexte", _mm_sha1nexte_epu32(a, b));
    show("sha256rnds2", _mm_sha256rnds2_epu32(a, b, _mm_xor_si128(a, b)));
    show("sha256msg1", _mm_sha256msg1_epu32(a, b));
  } else {
    puts("skipped: sha");
  }
  if (feature(7, FEATURE_ECX, 8)) {
    show("gf2p8affineqb", _mm_gf2p8affine_epi64_epi8(a, b, 0x63));
    show("gf2p8mulb", _mm_gf2p8mul_epi8(a, b));
  } else {
    puts("skipped: gfni");
  }
  return 0;
}

/* AVX-512: masks, broadcast, compress and expand, scatter, high registers, fault suppression by masks. */
/* cflags: -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd */
#include <immintrin.h>

#include "digest.h"
#include "jit.h"
#include "trap.h"

static int table[256] __attribute__((aligned(64)));
static void *volatile edge;

static void show(const char *name, __m512i v) {
  digest_bytes(&v, 64);
  digest_print(name);
}

static void moves(__m512i a, __m512i b, __mmask16 m) {
  show("merge", _mm512_mask_add_epi32(a, m, a, b));
  show("zero", _mm512_maskz_sub_epi32(m, a, b));
  show("broadcast", _mm512_add_epi32(a, _mm512_set1_epi32(table[5])));
  show("compress", _mm512_maskz_compress_epi32(m, a));
  show("expand", _mm512_mask_expand_epi32(a, m, b));
  int out[32] = {0};
  _mm512_mask_compressstoreu_epi32(out + 3, m, a);
  show("compress store", _mm512_loadu_si512(out));
  show("vpermi2d", _mm512_permutex2var_epi32(a, b, a));
  show("vpermb-like", _mm512_permutexvar_epi16(a, b));
  show("vpternlog", _mm512_ternarylogic_epi32(a, b, _mm512_slli_epi32(a, 3), 0xca));
  show("vpconflictd", _mm512_conflict_epi32(_mm512_and_epi32(a, _mm512_set1_epi32(7))));
  show("vplzcntq", _mm512_lzcnt_epi64(a));
  show("rounding", _mm512_castps_si512(_mm512_div_round_ps(_mm512_cvtepi32_ps(a), _mm512_cvtepi32_ps(b),
                                                           _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)));
  show("vrndscale", _mm512_castpd_si512(_mm512_roundscale_pd(_mm512_cvtepi64_pd(a), 0x21)));
}

static void masks(__m512i a, __m512i b) {
  __mmask16 lt = _mm512_cmplt_epi32_mask(a, b), ge = _mm512_cmpge_epu32_mask(a, b);
  __mmask64 bytes = _mm512_cmpeq_epi8_mask(a, _mm512_ror_epi32(a, 8));
  printf("masks %04x %04x %016lx ", lt, ge, (unsigned long)bytes);
  printf("%04x %04x %04x ", (unsigned)_kandn_mask16(lt, ge), (unsigned)_kxnor_mask16(lt, ge),
         (unsigned)_kshiftri_mask16(lt, 3));
  printf("%04x kortest %d\n", (unsigned)_mm512_kunpackb(lt, ge), _kortestz_mask16_u8(lt, ge));
}

static void scatter_gather(__m512i a, __mmask16 m) {
  int space[256] = {0};
  __m512i index = _mm512_and_epi32(a, _mm512_set1_epi32(0x9f)); /* with collisions: the highest lane wins */
  _mm512_i32scatter_epi32(space, index, a, 4);
  _mm512_mask_i32scatter_epi32(space, m, _mm512_add_epi32(index, _mm512_set1_epi32(64)), a, 4);
  digest_bytes(space, sizeof space);
  digest_print("scatter");
  show("gather", _mm512_mask_i32gather_epi32(a, m, index, table, 4));
}

static void load_over_edge(void) { /* the eight upper lanes lie on an unmapped page */
  __m512i v = _mm512_mask_loadu_epi32(_mm512_set1_epi32(1), 0x00ff, edge);
  _mm512_mask_storeu_epi32(edge, 0x000f, _mm512_add_epi32(v, v));
}

static void touch_over_edge(void) {
  _mm512_mask_storeu_epi32(edge, 0x0180, _mm512_set1_epi32(1));
}

int main(void) {
  if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512cd")) {
    puts("skipped: needs avx512");
    return 0;
  }
  for (int i = 0; i < 256; i++) table[i] = (int)((unsigned)i * 2654435761u) ^ (i << 3);
  __m512i a = _mm512_load_si512(table), b = _mm512_load_si512(table + 64);
  moves(a, b, 0x5ac3);
  masks(a, b);
  scatter_gather(a, 0x0ff7);
  trap_install();
  byte *p = jit_map(2 * JIT_PAGE);
  CHECK(munmap(p + JIT_PAGE, JIT_PAGE) == 0);
  p[JIT_PAGE - 32] = 21;
  edge = p + JIT_PAGE - 32;
  CHECK(trap_run(load_over_edge) == 0);
  int trapped = trap_run(touch_over_edge);
  int second_page =
      trap_seen.address - (uintptr_t)p >= JIT_PAGE; /* which byte of it is the processor's choice */
  printf("masked out: %d, touched: %s, on the second page %d\n", p[JIT_PAGE - 32],
         trapped ? trap_name(trap_seen.signo) : "ran", second_page);
  return 0;
}

/* insn_float.c: every instruction of F and D, under every rounding mode, over corner cases: one line each with a digest of results and flags. Another
   machine must print the same. */
#include "program.h"

static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
    0x4000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001,
    0x7ff0000000000001, 0xfff4000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x0010000000000000, 0x8010000000000001, 0x001fffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7fe0000000000000, 0x3fe0000000000000, 0x3fdfffffffffffff, 0x3ff8000000000000, 0x4004000000000000,
    0x41dfffffffc00000, 0x41dfffffffe00000, 0xc1e0000000000000, 0xc1e0000000100000, 0x41efffffffe00000,
    0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001,
    0x43efffffffffffff, 0x43f0000000000000, 0xbfe0000000000000, 0xbfefffffffffffff, 0x3ca0000000000000,
    0x3cafffffffffffff, 0x36a0000000000000, 0x380fffffe0000000, 0x380fffffffffffff, 0x47efffffe0000000,
    0x47effffff0000000, 0x3690000000000000, 0x3690000000000001, 0x3810000000000000, 0x433fffffffffffff,
    0x4340000000000001, 0x1ff0000000000000, 0x2000000000000001, 0x5fe0000000000000};
static const uint32_t singles[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40000000, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
    0x80800001, 0x00ffffff, 0x7f7fffff, 0xff7fffff, 0x7f000000, 0x3f000000, 0x3effffff, 0x3fc00000,
    0x40200000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff,
    0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000, 0xbf000000, 0xbf7fffff, 0x33800000,
    0x337fffff, 0x4b7fffff, 0x4b800001, 0x1f800000, 0x20000001, 0x5f000001};
enum { RANDOM = 60, D = sizeof doubles / 8 + RANDOM, S = sizeof singles / 4 + RANDOM };

static uint64_t d[D], s[S]; /* s: NaN-boxed, and some that are not */
static const uint64_t integers[] = {0,
                                    1,
                                    ~0ull,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0xffffffff80000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0x1000001,
                                    0x1000003,
                                    0x20000000000001,
                                    0x20000000000003,
                                    0xfffffffffffffbff,
                                    0xfffffffffffffc00,
                                    0xfffffffffffffc01,
                                    0x8000008000000000};

static void fill(void) {
  uint64_t state = 77;
  for (int i = 0; i < D; i++) d[i] = i < D - RANDOM ? doubles[i] : next_random(&state);
  for (int i = D - RANDOM / 2; i < D; i++)
    d[i] = (d[i] & 0x800fffffffffffff) | (0x3f0 + next_random(&state) % 32) << 52;
  for (int i = 0; i < S; i++)
    s[i] = 0xffffffff00000000 | (i < S - RANDOM ? singles[i] : (uint32_t)next_random(&state));
  for (int i = S - RANDOM / 2; i < S; i++)
    s[i] = 0xffffffff00000000 | (s[i] & 0x807fffff) | (0x78 + next_random(&state) % 16) << 23;
  s[S - 1] &= 0x00000000ffffffff; /* not boxed */
  s[S - 2] &= 0xfffffffeffffffff;
}

#define SET_MODE(mode) __asm__ volatile("fsflags zero\n fsrm %0" : : "r"(mode))
#define TWO(name, table, count)                                                      \
  static void test_##name(const char *text) {                                        \
    for (uint64_t mode = 0; mode < 5; mode++) {                                      \
      uint64_t digest = 0, r, flags;                                                 \
      for (int i = 0; i < count; i++)                                                \
        for (int j = 0; j < count; j++) {                                            \
          SET_MODE(mode);                                                            \
          __asm__ volatile("fmv.d.x ft0, %2\n fmv.d.x ft1, %3\n" INSN(               \
                               name) " ft2, ft0, ft1\n fmv.x.d %0, ft2\n frflags %1" \
                           : "=r"(r), "=r"(flags)                                    \
                           : "r"(table[i]), "r"(table[j])                            \
                           : "ft0", "ft1", "ft2");                                   \
          digest = mix(mix(digest, r), flags);                                       \
        }                                                                            \
      printf("%s %lu %016lx\n", text, mode, digest);                                 \
    }                                                                                \
  }
#define COMPARE(name, table, count)                                                                    \
  static void test_##name(const char *text) {                                                          \
    uint64_t digest = 0, r, flags;                                                                     \
    for (int i = 0; i < count; i++)                                                                    \
      for (int j = 0; j < count; j++) {                                                                \
        SET_MODE(0ul);                                                                                 \
        __asm__ volatile("fmv.d.x ft0, %2\n fmv.d.x ft1, %3\n" INSN(name) " %0, ft0, ft1\n frflags %1" \
                         : "=r"(r), "=r"(flags)                                                        \
                         : "r"(table[i]), "r"(table[j])                                                \
                         : "ft0", "ft1");                                                              \
        digest = mix(mix(digest, r), flags);                                                           \
      }                                                                                                \
    printf("%s %016lx\n", text, digest);                                                               \
  }
#define ONE(name, table, count)                                                                    \
  static void test_##name(const char *text) {                                                      \
    for (uint64_t mode = 0; mode < 5; mode++) {                                                    \
      uint64_t digest = 0, r, flags;                                                               \
      for (int i = 0; i < count; i++) {                                                            \
        SET_MODE(mode);                                                                            \
        __asm__ volatile("fmv.d.x ft0, %2\n" INSN(name) " ft2, ft0\n fmv.x.d %0, ft2\n frflags %1" \
                         : "=r"(r), "=r"(flags)                                                    \
                         : "r"(table[i])                                                           \
                         : "ft0", "ft2");                                                          \
        digest = mix(mix(digest, r), flags);                                                       \
      }                                                                                            \
      printf("%s %lu %016lx\n", text, mode, digest);                                               \
    }                                                                                              \
  }
#define TO_INTEGER(name, table, count)                                               \
  static void test_##name(const char *text) {                                        \
    for (uint64_t mode = 0; mode < 5; mode++) {                                      \
      uint64_t digest = 0, r, flags;                                                 \
      for (int i = 0; i < count; i++) {                                              \
        SET_MODE(mode);                                                              \
        __asm__ volatile("fmv.d.x ft0, %2\n" INSN(name) " %0, ft0, dyn\n frflags %1" \
                         : "=r"(r), "=r"(flags)                                      \
                         : "r"(table[i])                                             \
                         : "ft0");                                                   \
        digest = mix(mix(digest, r), flags);                                         \
      }                                                                              \
      printf("%s %lu %016lx\n", text, mode, digest);                                 \
    }                                                                                \
  }
#define FROM_INTEGER(name)                                                    \
  static void test_##name(const char *text) {                                 \
    for (uint64_t mode = 0; mode < 5; mode++) {                               \
      uint64_t digest = 0, r, flags;                                          \
      for (unsigned i = 0; i < sizeof integers / 8; i++) {                    \
        SET_MODE(mode);                                                       \
        __asm__ volatile(INSN(name) " ft2, %2\n fmv.x.d %0, ft2\n frflags %1" \
                         : "=r"(r), "=r"(flags)                               \
                         : "r"(integers[i])                                   \
                         : "ft2");                                            \
        digest = mix(mix(digest, r), flags);                                  \
      }                                                                       \
      printf("%s %lu %016lx\n", text, mode, digest);                          \
    }                                                                         \
  }
#define THREE(name, table, count)                                                                \
  static void test_##name(const char *text) {                                                    \
    for (uint64_t mode = 0; mode < 5; mode++) {                                                  \
      uint64_t digest = 0, r, flags, state = 9;                                                  \
      for (int n = 0; n < 6000; n++) {                                                           \
        uint64_t a = table[next_random(&state) % count], b = table[next_random(&state) % count], \
                 c = table[next_random(&state) % count];                                         \
        SET_MODE(mode);                                                                          \
        __asm__ volatile("fmv.d.x ft0, %2\n fmv.d.x ft1, %3\n fmv.d.x ft3, %4\n" INSN(           \
                             name) " ft2, ft0, ft1, ft3\n fmv.x.d %0, ft2\n frflags %1"          \
                         : "=r"(r), "=r"(flags)                                                  \
                         : "r"(a), "r"(b), "r"(c)                                                \
                         : "ft0", "ft1", "ft2", "ft3");                                          \
        digest = mix(mix(digest, r), flags);                                                     \
      }                                                                                          \
      printf("%s %lu %016lx\n", text, mode, digest);                                             \
    }                                                                                            \
  }
/* The names have _ for . here. */
#define INSN(name) INSN_##name
/* clang-format off */
#define LIST(TWO_, COMPARE_, ONE_, TO_, FROM_, THREE_) \
  TWO_(fadd_d, d, D) TWO_(fsub_d, d, D) TWO_(fmul_d, d, D) TWO_(fdiv_d, d, D) TWO_(fmin_d, d, D) \
  TWO_(fmax_d, d, D) TWO_(fsgnj_d, d, D) TWO_(fsgnjn_d, d, D) TWO_(fsgnjx_d, d, D) \
  TWO_(fadd_s, s, S) TWO_(fsub_s, s, S) TWO_(fmul_s, s, S) TWO_(fdiv_s, s, S) TWO_(fmin_s, s, S) \
  TWO_(fmax_s, s, S) TWO_(fsgnj_s, s, S) TWO_(fsgnjn_s, s, S) TWO_(fsgnjx_s, s, S) \
  COMPARE_(feq_d, d, D) COMPARE_(flt_d, d, D) COMPARE_(fle_d, d, D) COMPARE_(feq_s, s, S) \
  COMPARE_(flt_s, s, S) COMPARE_(fle_s, s, S) \
  ONE_(fsqrt_d, d, D) ONE_(fsqrt_s, s, S) ONE_(fcvt_s_d, d, D) ONE_(fcvt_d_s, s, S) \
  TO_(fcvt_w_d, d, D) TO_(fcvt_wu_d, d, D) TO_(fcvt_l_d, d, D) TO_(fcvt_lu_d, d, D) \
  TO_(fcvt_w_s, s, S) TO_(fcvt_wu_s, s, S) TO_(fcvt_l_s, s, S) TO_(fcvt_lu_s, s, S) \
  FROM_(fcvt_d_w) FROM_(fcvt_d_wu) FROM_(fcvt_d_l) FROM_(fcvt_d_lu) FROM_(fcvt_s_w) \
  FROM_(fcvt_s_wu) FROM_(fcvt_s_l) FROM_(fcvt_s_lu) \
  THREE_(fmadd_d, d, D) THREE_(fmsub_d, d, D) THREE_(fnmadd_d, d, D) THREE_(fnmsub_d, d, D) \
  THREE_(fmadd_s, s, S) THREE_(fmsub_s, s, S) THREE_(fnmadd_s, s, S) THREE_(fnmsub_s, s, S)
/* clang-format on */

#define INSN_fadd_d "fadd.d"
#define INSN_fsub_d "fsub.d"
#define INSN_fmul_d "fmul.d"
#define INSN_fdiv_d "fdiv.d"
#define INSN_fmin_d "fmin.d"
#define INSN_fmax_d "fmax.d"
#define INSN_fsgnj_d "fsgnj.d"
#define INSN_fsgnjn_d "fsgnjn.d"
#define INSN_fsgnjx_d "fsgnjx.d"
#define INSN_fadd_s "fadd.s"
#define INSN_fsub_s "fsub.s"
#define INSN_fmul_s "fmul.s"
#define INSN_fdiv_s "fdiv.s"
#define INSN_fmin_s "fmin.s"
#define INSN_fmax_s "fmax.s"
#define INSN_fsgnj_s "fsgnj.s"
#define INSN_fsgnjn_s "fsgnjn.s"
#define INSN_fsgnjx_s "fsgnjx.s"
#define INSN_feq_d "feq.d"
#define INSN_flt_d "flt.d"
#define INSN_fle_d "fle.d"
#define INSN_feq_s "feq.s"
#define INSN_flt_s "flt.s"
#define INSN_fle_s "fle.s"
#define INSN_fsqrt_d "fsqrt.d"
#define INSN_fsqrt_s "fsqrt.s"
#define INSN_fcvt_s_d "fcvt.s.d"
#define INSN_fcvt_d_s "fcvt.d.s"
#define INSN_fcvt_w_d "fcvt.w.d"
#define INSN_fcvt_wu_d "fcvt.wu.d"
#define INSN_fcvt_l_d "fcvt.l.d"
#define INSN_fcvt_lu_d "fcvt.lu.d"
#define INSN_fcvt_w_s "fcvt.w.s"
#define INSN_fcvt_wu_s "fcvt.wu.s"
#define INSN_fcvt_l_s "fcvt.l.s"
#define INSN_fcvt_lu_s "fcvt.lu.s"
#define INSN_fcvt_d_w "fcvt.d.w"
#define INSN_fcvt_d_wu "fcvt.d.wu"
#define INSN_fcvt_d_l "fcvt.d.l"
#define INSN_fcvt_d_lu "fcvt.d.lu"
#define INSN_fcvt_s_w "fcvt.s.w"
#define INSN_fcvt_s_wu "fcvt.s.wu"
#define INSN_fcvt_s_l "fcvt.s.l"
#define INSN_fcvt_s_lu "fcvt.s.lu"
#define INSN_fmadd_d "fmadd.d"
#define INSN_fmsub_d "fmsub.d"
#define INSN_fnmadd_d "fnmadd.d"
#define INSN_fnmsub_d "fnmsub.d"
#define INSN_fmadd_s "fmadd.s"
#define INSN_fmsub_s "fmsub.s"
#define INSN_fnmadd_s "fnmadd.s"
#define INSN_fnmsub_s "fnmsub.s"

LIST(TWO, COMPARE, ONE, TO_INTEGER, FROM_INTEGER, THREE)

static void test_moves(void) {
  uint64_t digest = 0, r, c;
  for (int i = 0; i < D; i++) {
    __asm__ volatile("fmv.d.x ft0, %1\n fclass.d %0, ft0" : "=r"(c) : "r"(d[i]) : "ft0");
    digest = mix(digest, c);
  }
  for (int i = 0; i < S; i++) {
    __asm__ volatile("fmv.d.x ft0, %2\n fmv.x.w %0, ft0\n fclass.s %1, ft0"
                     : "=r"(r), "=r"(c)
                     : "r"(s[i])
                     : "ft0");
    digest = mix(mix(digest, r), c);
    __asm__ volatile("fmv.w.x ft0, %1\n fmv.x.d %0, ft0" : "=r"(r) : "r"(s[i]) : "ft0");
    digest = mix(digest, r);
  }
  printf("moves %016lx\n", digest);
}

static void test_csr(void) {
  uint64_t a, b, c;
  __asm__ volatile("fscsr %0, %1" : "=r"(a) : "r"(0xffffffffffful));
  __asm__ volatile("frcsr %0\n frrm %1\n frflags %2" : "=r"(a), "=r"(b), "=r"(c));
  printf("csr %lx %lx %lx\n", a, b, c);
  __asm__ volatile("fscsr zero\n csrrsi %0, fflags, 5\n csrrci %1, fflags, 4\n csrr %2, fcsr"
                   : "=r"(a), "=r"(b), "=r"(c));
  printf("csr %lx %lx %lx\n", a, b, c);
}

int main(void) {
  fill();
#define CALL3(name, table, count) test_##name(#name);
#define CALL1(name) test_##name(#name);
  LIST(CALL3, CALL3, CALL3, CALL3, CALL1, CALL3)
  test_moves();
  test_csr();
  return 0;
}

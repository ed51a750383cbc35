/* bsf, bsr, tzcnt, lzcnt, popcnt, bswap, movbe and the BMI1, BMI2 and ADX instructions. */
#include <stdint.h>

#include "digest.h"
#include "feature.h"

#define UNARY(op, size)                                                             \
  do {                                                                              \
    for (int i = 1; i < DIGEST_OPERANDS; i++) { /* bsf and bsr leave 0 undefined */ \
      uint64_t r = 0x77;                                                            \
      unsigned char z, c;                                                           \
      if (size[0] == 'k' && (uint32_t)digest_operands[i] == 0) continue;            \
      __asm__ volatile(op " %" size "3, %" size "0\nsetz %1\nsetc %2"               \
                       : "+r"(r), "=qm"(z), "=qm"(c)                                \
                       : "r"(digest_operands[i])                                    \
                       : "cc");                                                     \
      digest(r);                                                                    \
    }                                                                               \
    digest_print(op);                                                               \
  } while (0)

#define BINARY(op)                                                          \
  do {                                                                      \
    for (int i = 0; i < DIGEST_OPERANDS; i++)                               \
      for (int j = 0; j < DIGEST_OPERANDS; j++) {                           \
        uint64_t r;                                                         \
        __asm__ volatile(op " %1, %2, %0"                                   \
                         : "=r"(r)                                          \
                         : "r"(digest_operands[i]), "r"(digest_operands[j]) \
                         : "cc");                                           \
        digest(r);                                                          \
      }                                                                     \
    digest_print(op);                                                       \
  } while (0)

static void zero_inputs(void) {
  uint64_t t, l, p;
  unsigned char c[2], z;
  __asm__("tzcnt %2, %0\nsetc %1" : "=r"(t), "=qm"(c[0]) : "r"(0ul) : "cc");
  __asm__("lzcnt %2, %0\nsetc %1" : "=r"(l), "=qm"(c[1]) : "r"(0ul) : "cc");
  __asm__("popcnt %2, %0\nsetz %1" : "=r"(p), "=qm"(z) : "r"(0ul) : "cc");
  printf("of zero: %lu %lu %lu, flags %d %d %d\n", t, l, p, c[0], c[1], z);
  __asm__("bsf %1, %0\nsetz %2" : "=r"(t), "+r"(p), "=qm"(z)::"cc");
  printf("bsf of zero sets zf: %d\n", z);
}

static void carries(void) {
  uint64_t low = ~0ul, high = 5, l = 7, h = 9;
  unsigned char c, o;
  __asm__ volatile("xor %%eax, %%eax\nadcx %5, %0\nadox %5, %1\nadcx %4, %2\nadox %4, %3"
                   : "+r"(low), "+r"(high), "+r"(l), "+r"(h)
                   : "r"(~0ul), "r"(1ul)
                   : "rax", "cc");
  __asm__ volatile("stc\nadcx %2, %3\nsetc %0\nseto %1" : "=qm"(c), "=qm"(o) : "r"(~0ul), "r"(0ul) : "cc");
  printf("adx %lx %lx %lx %lx %d\n", low, high, l, h, c);
  uint64_t product_high, product_low;
  __asm__("mulx %3, %0, %1" : "=r"(product_low), "=r"(product_high) : "d"(~3ul), "r"(~4ul));
  printf("mulx %lx %lx\n", product_high, product_low);
  uint64_t rotated, swapped, moved;
  __asm__("rorx $13, %1, %0" : "=r"(rotated) : "r"(digest_operands[12]));
  __asm__("bswap %0" : "=r"(swapped) : "0"(digest_operands[12]));
  __asm__("movbe %1, %0" : "=r"(moved) : "m"(digest_operands[12]));
  printf("rorx %lx, bswap %lx, movbe %lx\n", rotated, swapped, moved);
}

int main(void) {
  UNARY("bsfl", "k");
  UNARY("bsfq", "q");
  UNARY("bsrl", "k");
  UNARY("bsrq", "q");
  if (!__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt") || !feature_adx() ||
      !feature_lzcnt() || !feature_movbe()) {
    puts("skipped: bmi2 and its company");
    return 0;
  }
  UNARY("tzcntl", "k");
  UNARY("tzcntq", "q");
  UNARY("lzcntl", "k");
  UNARY("lzcntq", "q");
  UNARY("popcntq", "q");
  UNARY("blsiq", "q");
  UNARY("blsmskq", "q");
  UNARY("blsrl", "k");
  BINARY("andnq");
  BINARY("bextrq");
  BINARY("bzhiq");
  BINARY("pdepq");
  BINARY("pextq");
  BINARY("shlxq");
  BINARY("shrxq");
  BINARY("sarxq");
  zero_inputs();
  carries();
  return 0;
}

/* shl, shr, sar, rol, ror, rcl, rcr, shld, shrd: all sizes, large counts, flags kept at count 0. */
/* cflags: -mno-red-zone */
#include <stdint.h>

#include "check.h"
#include "digest.h"

/* The overflow flag is defined for counts of one only, the auxiliary carry never. */
static uint64_t defined(uint64_t flags, unsigned count, int rotate) {
  uint64_t mask = rotate ? FLAG_C : FLAG_C | FLAG_P | FLAG_Z | FLAG_S;
  return count == 0 ? flags & FLAGS_ALL : flags & (count == 1 ? mask | FLAG_O : mask);
}

#define SHIFT(op, size, bits, rotate)                                                        \
  do {                                                                                       \
    for (int i = 0; i < DIGEST_OPERANDS; i++)                                                \
      for (unsigned count = 0; count < 70; count++) {                                        \
        uint64_t a = digest_operands[i], f = 0x202 | (count & 2 ? FLAG_C | FLAG_Z : FLAG_O); \
        __asm__ volatile("push %1\npopf\n" op " %%cl, %" size "0\npushf\npop %1"             \
                         : "+r"(a), "+r"(f)                                                  \
                         : "c"(count)                                                        \
                         : "cc");                                                            \
        unsigned effective = count % (bits == 64 ? 64 : 32);                                 \
        digest(a);                                                                           \
        if (effective <= bits) digest(defined(f, effective, rotate));                        \
      }                                                                                      \
  } while (0)

#define ALL(op, rotate)             \
  do {                              \
    SHIFT(op "b", "b", 8, rotate);  \
    SHIFT(op "w", "w", 16, rotate); \
    SHIFT(op "l", "k", 32, rotate); \
    SHIFT(op "q", "q", 64, rotate); \
    digest_print(op);               \
  } while (0)

#define DOUBLE(op, size, bits)                                                                 \
  do {                                                                                         \
    for (int i = 0; i < DIGEST_OPERANDS; i++)                                                  \
      for (int j = 0; j < DIGEST_OPERANDS; j++)                                                \
        for (unsigned count = 0; count < 70; count++) {                                        \
          uint64_t a = digest_operands[i], f = 0x202;                                          \
          __asm__ volatile("push %1\npopf\n" op " %%cl, %" size "3, %" size "0\npushf\npop %1" \
                           : "+r"(a), "+r"(f)                                                  \
                           : "c"(count), "r"(digest_operands[j])                               \
                           : "cc");                                                            \
          digest(a);                                                                           \
          digest(defined(f, count % bits, 0));                                                 \
        }                                                                                      \
    digest_print(op);                                                                          \
  } while (0)

int main(void) {
  ALL("shl", 0);
  ALL("shr", 0);
  ALL("sar", 0);
  ALL("rol", 1);
  ALL("ror", 1);
  ALL("rcl", 1);
  ALL("rcr", 1);
  DOUBLE("shldl", "k", 32);
  DOUBLE("shldq", "q", 64);
  DOUBLE("shrdl", "k", 32);
  DOUBLE("shrdq", "q", 64);
  return 0;
}

/* repe and repne with cmps and scas: stop at the right element with the right flags, all sizes. */
#include <stdint.h>

#include "check.h"
#include "digest.h"

static uint64_t flags_of(unsigned char z, unsigned char c) {
  return (uint64_t)z * 2 + c;
}

#define COMPARE(insn, size)                                                                 \
  do {                                                                                      \
    for (int differ = 0; differ <= 8; differ++)                                             \
      for (uint64_t count = 0; count <= 8; count++) {                                       \
        unsigned char a[64], b[64];                                                         \
        for (int i = 0; i < 64; i++) a[i] = b[i] = (unsigned char)(i + 1);                  \
        if (differ < 8) b[differ * size] ^= 0x80;                                           \
        const unsigned char *s = a, *d = b;                                                 \
        uint64_t n = count;                                                                 \
        unsigned char z, c;                                                                 \
        __asm__ volatile("cmp %%rsp, %%rsp\n" insn "\nsetz %3\nsetc %4"                     \
                         : "+S"(s), "+D"(d), "+c"(n), "=qm"(z), "=qm"(c)::"memory", "cc");  \
        digest((uint64_t)(s - a) << 16 | (uint64_t)(d - b) << 8 | n << 2 | flags_of(z, c)); \
      }                                                                                     \
    digest_print(insn);                                                                     \
  } while (0)

#define SCAN(insn, size)                                                         \
  do {                                                                           \
    for (int place = 0; place <= 8; place++)                                     \
      for (uint64_t count = 0; count <= 8; count++) {                            \
        unsigned char b[64];                                                     \
        memset(b, 0x55, sizeof b);                                               \
        if (place < 8) memset(b + place * size, 0x66, size);                     \
        for (uint64_t needle = 0x5555555555555555; needle <= 0x6666666666666666; \
             needle += 0x1111111111111111) {                                     \
          const unsigned char *d = b;                                            \
          uint64_t n = count;                                                    \
          unsigned char z, c;                                                    \
          __asm__ volatile("cmp %%rsp, %%rsp\n" insn "\nsetz %2\nsetc %3"        \
                           : "+D"(d), "+c"(n), "=qm"(z), "=qm"(c)                \
                           : "a"(needle)                                         \
                           : "memory", "cc");                                    \
          digest((uint64_t)(d - b) << 8 | n << 2 | flags_of(z, c));              \
        }                                                                        \
      }                                                                          \
    digest_print(insn);                                                          \
  } while (0)

int main(void) {
  COMPARE("repe cmpsb", 1);
  COMPARE("repe cmpsw", 2);
  COMPARE("repe cmpsl", 4);
  COMPARE("repe cmpsq", 8);
  COMPARE("repne cmpsb", 1);
  SCAN("repne scasb", 1);
  SCAN("repne scasw", 2);
  SCAN("repne scasl", 4);
  SCAN("repne scasq", 8);
  SCAN("repe scasb", 1);
  return 0;
}

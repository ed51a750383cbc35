/* add, adc, sub, sbb, and, or, xor, cmp, test, inc, dec, neg, not in all sizes: results and flags. */
/* cflags: -mno-red-zone */
#include <stdint.h>

#include "check.h"
#include "digest.h"

#define TWO(op, size, defined)                                                           \
  do {                                                                                   \
    for (int i = 0; i < DIGEST_OPERANDS; i++)                                            \
      for (int j = 0; j < DIGEST_OPERANDS; j++)                                          \
        for (uint64_t carry = 0; carry < 2; carry++) {                                   \
          uint64_t a = digest_operands[i], f = 0x202 | carry;                            \
          __asm__ volatile("push %1\npopf\n" op " %" size "2, %" size "0\npushf\npop %1" \
                           : "+r"(a), "+r"(f)                                            \
                           : "r"(digest_operands[j])                                     \
                           : "cc");                                                      \
          digest(a);                                                                     \
          digest((defined)&f);                                                           \
        }                                                                                \
  } while (0)

#define ONE(op, size, defined)                                                                        \
  do {                                                                                                \
    for (int i = 0; i < DIGEST_OPERANDS; i++)                                                         \
      for (uint64_t carry = 0; carry < 2; carry++) {                                                  \
        uint64_t a = digest_operands[i], f = 0x202 | carry;                                           \
        __asm__ volatile("push %1\npopf\n" op " %" size "0\npushf\npop %1" : "+r"(a), "+r"(f)::"cc"); \
        digest(a);                                                                                    \
        digest((defined)&f);                                                                          \
      }                                                                                               \
  } while (0)

#define SIZES(kind, op, defined) \
  do {                           \
    kind(op "b", "b", defined);  \
    kind(op "w", "w", defined);  \
    kind(op "l", "k", defined);  \
    kind(op "q", "q", defined);  \
    digest_print(op);            \
  } while (0)

static uint64_t big_sum(const uint64_t *a, const uint64_t *b, uint64_t *to, uint64_t n) {
  uint64_t carry;
  __asm__ volatile(
      "xor %%eax, %%eax\n"
      "1: mov (%1,%%rax,8), %%rdx\n"
      "adc (%2,%%rax,8), %%rdx\n"
      "mov %%rdx, (%3,%%rax,8)\n"
      "inc %%rax\n" /* keeps the carry across the back edge */
      "dec %0\n"
      "jnz 1b\n"
      "setc %%al\n movzbl %%al, %k0"
      : "=r"(carry)
      : "r"(a), "r"(b), "r"(to), "0"(n)
      : "rax", "rdx", "cc", "memory");
  return carry;
}

int main(void) {
  const int logic = FLAGS_ALL & ~FLAG_A;
  SIZES(TWO, "add", FLAGS_ALL);
  SIZES(TWO, "adc", FLAGS_ALL);
  SIZES(TWO, "sub", FLAGS_ALL);
  SIZES(TWO, "sbb", FLAGS_ALL);
  SIZES(TWO, "cmp", FLAGS_ALL);
  SIZES(TWO, "and", logic);
  SIZES(TWO, "or", logic);
  SIZES(TWO, "xor", logic);
  SIZES(TWO, "test", logic);
  SIZES(ONE, "inc", FLAGS_ALL);
  SIZES(ONE, "dec", FLAGS_ALL);
  SIZES(ONE, "neg", FLAGS_ALL);
  SIZES(ONE, "not", FLAGS_ALL);
  uint64_t a[100], b[100], sum[100];
  for (int i = 0; i < 100; i++) a[i] = ~(uint64_t)0 - (i == 70), b[i] = i == 0;
  uint64_t carry = big_sum(a, b, sum, 100);
  digest_bytes(sum, sizeof sum);
  printf("carry out %lu, word 70 %lx\n", (unsigned long)carry, (unsigned long)sum[70]);
  digest_print("adc chain");
  return 0;
}

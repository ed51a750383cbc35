/* bt, bts, btr, btc with a register offset reach bits far outside the addressed word, also backwards. */
#include <stdint.h>

#include "check.h"
#include "digest.h"

static uint64_t words[64];

#define BIT(op, size)                                \
  for (int i = -1000; i < 1000; i += 37) {           \
    unsigned char carry;                             \
    __asm__ volatile(op " %" size "2, %1\nsetc %0"   \
                     : "=qm"(carry), "+m"(words[32]) \
                     : "r"((int64_t)i)               \
                     : "cc", "memory");              \
    digest(carry);                                   \
  }                                                  \
  digest_bytes(words, sizeof words);                 \
  digest_print(op)

#define IMMEDIATE(op)                                                              \
  do {                                                                             \
    unsigned char carry;                                                           \
    __asm__ volatile(op " $67, %1\nsetc %0" : "=qm"(carry), "+m"(words[3])::"cc"); \
    digest(carry); /* an immediate offset is taken modulo the size: bit 3 */       \
    digest_bytes(words, sizeof words);                                             \
    digest_print(op " immediate");                                                 \
  } while (0)

int main(void) {
  for (int i = 0; i < 64; i++) words[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
  BIT("btw", "w");
  BIT("btl", "k");
  BIT("btq", "q");
  BIT("btsw", "w");
  BIT("btcl", "k");
  BIT("btrq", "q");
  BIT("btcq", "q");
  BIT("lock btsq", "q");
  BIT("lock btcl", "k");
  BIT("lock btrw", "w");
  IMMEDIATE("btsq");
  IMMEDIATE("btcl");
  IMMEDIATE("lock btrq");
  memset(words, 0, sizeof words);
  int64_t far = -2048; /* the very first bit of the array, from its middle */
  __asm__ volatile("btsq %1, %0" : "+m"(words[32]) : "r"(far) : "cc", "memory");
  CHECK(words[0] == 1);
  far = 2047;
  __asm__ volatile("btsq %1, %0" : "+m"(words[32]) : "r"(far) : "cc", "memory");
  CHECK(words[63] == 1ul << 63);
  return 0;
}

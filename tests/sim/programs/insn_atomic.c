/* insn_atomic.c: each AMO on words and doublewords over corner cases; LR/SC that succeed and that must fail. */
#include "program.h"

static const uint64_t values[] = {0,
                                  1,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  ~0ull,
                                  0x123456789abcdef0};
enum { COUNT = sizeof values / 8 };

#define AMO(insn)                                                                                 \
  do {                                                                                            \
    uint64_t digest = 0, r;                                                                       \
    for (int i = 0; i < COUNT; i++)                                                               \
      for (int j = 0; j < COUNT; j++) {                                                           \
        uint64_t cell[2] __attribute__((aligned(16))) = {values[i], values[i]};                   \
        __asm__ volatile(insn " %0, %1, (%2)" : "=&r"(r) : "r"(values[j]), "r"(cell) : "memory"); \
        digest = mix(mix(digest, r), cell[0]);                                                    \
        __asm__ volatile(insn ".aqrl zero, %0, (%1)" : : "r"(values[j]), "r"(cell) : "memory");   \
        digest = mix(digest, cell[0] ^ cell[1]);                                                  \
      }                                                                                           \
    printf("%s %016lx\n", insn, digest);                                                          \
  } while (0)
#define BOTH(name) \
  AMO(name ".w");  \
  AMO(name ".d")

int main(void) {
  uint64_t cell = 5, other = 7, r, f;
  BOTH("amoswap");
  BOTH("amoadd");
  BOTH("amoxor");
  BOTH("amoand");
  BOTH("amoor");
  BOTH("amomin");
  BOTH("amomax");
  BOTH("amominu");
  BOTH("amomaxu");
  __asm__ volatile("1: lr.d %0, (%2)\n addi %0, %0, 1\n sc.d %1, %0, (%2)\n bnez %1, 1b"
                   : "=&r"(r), "=&r"(f)
                   : "r"(&cell)
                   : "memory");
  printf("%lu %lu\n", cell, f);
  /* A store-conditional without a reservation, or after another one, fails and stores nothing. */
  __asm__ volatile("sc.d %0, zero, (%1)" : "=&r"(f) : "r"(&cell) : "memory");
  printf("%lu %d\n", cell, f != 0);
  __asm__ volatile("1: lr.w %0, (%2)\n sc.w %1, %0, (%2)\n bnez %1, 1b\n sc.w %1, zero, (%2)"
                   : "=&r"(r), "=&r"(f)
                   : "r"(&other)
                   : "memory");
  printf("%lu %d\n", other, f != 0);
  cell = 0x00000000fffffff0;
  __asm__ volatile("lr.w %0, (%1)" : "=&r"(r) : "r"(&cell) : "memory");
  printf("%lx\n", r);
  return 0;
}

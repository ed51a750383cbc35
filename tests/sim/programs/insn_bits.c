/* insn_bits.c: the instructions of Zba, Zbb and Zbs over corner cases, with digests. */
#include "program.h"

static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  31,
                                  32,
                                  63,
                                  64,
                                  0x7f,
                                  0x80,
                                  0xff00,
                                  0x8000,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  ~0ull,
                                  ~1ull,
                                  0xffffffff80000000,
                                  0x0100ff0080000001,
                                  0x123456789abcdef0};
enum { COUNT = sizeof values / 8 };

#define INSN(text) ".option push\n .option arch, +zba, +zbb, +zbs\n" text "\n .option pop"
#define TWO(insn)                                                                               \
  do {                                                                                          \
    uint64_t digest = 0, r;                                                                     \
    for (int i = 0; i < COUNT; i++)                                                             \
      for (int j = 0; j < COUNT; j++) {                                                         \
        __asm__ volatile(INSN(insn " %0, %1, %2") : "=&r"(r) : "r"(values[i]), "r"(values[j])); \
        digest = mix(digest, r);                                                                \
      }                                                                                         \
    printf("%s %016lx\n", insn, digest);                                                        \
  } while (0)
#define ONE(insn, rest)                                                        \
  do {                                                                         \
    uint64_t digest = 0, r;                                                    \
    for (int i = 0; i < COUNT; i++) {                                          \
      __asm__ volatile(INSN(insn " %0, %1" rest) : "=&r"(r) : "r"(values[i])); \
      digest = mix(digest, r);                                                 \
    }                                                                          \
    printf("%s%s %016lx\n", insn, rest, digest);                               \
  } while (0)

static void address_generation(void) {
  TWO("add.uw");
  TWO("sh1add");
  TWO("sh2add");
  TWO("sh3add");
  TWO("sh1add.uw");
  TWO("sh2add.uw");
  TWO("sh3add.uw");
  ONE("slli.uw", ", 0");
  ONE("slli.uw", ", 33");
  ONE("slli.uw", ", 63");
}

/* qemu before 8.0 counts on into the upper half if the lower is 0: it is not asked about that. */
static void trailing_zeros_of_words(void) {
  uint64_t digest = 0, r;
  for (int i = 0; i < COUNT; i++) {
    __asm__ volatile(INSN("ctzw %0, %1") : "=&r"(r) : "r"(values[i] & 0xffffffff));
    digest = mix(digest, r);
  }
  printf("ctzw %016lx\n", digest);
}

static void basic(void) {
  TWO("andn");
  TWO("orn");
  TWO("xnor");
  TWO("min");
  TWO("minu");
  TWO("max");
  TWO("maxu");
  TWO("rol");
  TWO("ror");
  TWO("rolw");
  TWO("rorw");
  ONE("rori", ", 0");
  ONE("rori", ", 1");
  ONE("rori", ", 63");
  ONE("roriw", ", 0");
  ONE("roriw", ", 31");
  ONE("clz", "");
  ONE("ctz", "");
  ONE("cpop", "");
  ONE("clzw", "");
  trailing_zeros_of_words();
  ONE("cpopw", "");
  ONE("sext.b", "");
  ONE("sext.h", "");
  ONE("zext.h", "");
  ONE("orc.b", "");
  ONE("rev8", "");
}

static void single_bits(void) {
  TWO("bclr");
  TWO("bext");
  TWO("binv");
  TWO("bset");
  ONE("bclri", ", 0");
  ONE("bclri", ", 63");
  ONE("bexti", ", 31");
  ONE("bexti", ", 63");
  ONE("binvi", ", 32");
  ONE("bseti", ", 63");
}

int main(void) {
  address_generation();
  basic();
  single_bits();
  return 0;
}

/* Branches: every condition on every combination of flags, tests of registers and bits, through registers that a translator is
 * likeliest to need for itself, calls and returns through them, and tables of targets. */
#include <stdint.h>
#include <stdio.h>

#include "check.h"

static uint64_t digest = 1;
static void fold(uint64_t value) {
  digest = (digest ^ value) * 0x100000001b3u;
  digest ^= digest >> 29;
}

#define CONDITION(name)  \
  __asm__ volatile(      \
      "msr nzcv, %1\n\t" \
      "mov %w0, #1\n\t"  \
      "b." #name         \
      " 1f\n\t"          \
      "mov %w0, #2\n"    \
      "1:"               \
      : "=&r"(result)    \
      : "r"(flags << 28) \
      : "cc");           \
  fold(result)

static void conditions(void) {
  for (uint64_t flags = 0; flags < 16; flags++) {
    unsigned result;
    CONDITION(eq);
    CONDITION(ne);
    CONDITION(cs);
    CONDITION(cc);
    CONDITION(mi);
    CONDITION(pl);
    CONDITION(vs);
    CONDITION(vc);
    CONDITION(hi);
    CONDITION(ls);
    CONDITION(ge);
    CONDITION(lt);
    CONDITION(gt);
    CONDITION(le);
    CONDITION(al);
    CONDITION(nv);
  }
}

/* cbz, cbnz, tbz and tbnz of a register, in both widths; the flags must stay. */
#define TESTS(reg)                            \
  __asm__ volatile("mov x" #reg               \
                   ", %1\n\t"                 \
                   "mov %w0, #0\n\t"          \
                   "cbz x" #reg               \
                   ", 1f\n\t"                 \
                   "orr %w0, %w0, #1\n"       \
                   "1: cbnz w" #reg           \
                   ", 2f\n\t"                 \
                   "orr %w0, %w0, #2\n"       \
                   "2: tbz x" #reg            \
                   ", #63, 3f\n\t"            \
                   "orr %w0, %w0, #4\n"       \
                   "3: tbnz w" #reg           \
                   ", #5, 4f\n\t"             \
                   "orr %w0, %w0, #8\n"       \
                   "4: sub x" #reg ", x" #reg \
                   ", #32\n\t"                \
                   "cbnz x" #reg              \
                   ", 5f\n\t"                 \
                   "orr %w0, %w0, #16\n"      \
                   "5:"                       \
                   : "=&r"(result)            \
                   : "r"(value)               \
                   : "x" #reg);               \
  fold(result)

static void tests(void) {
  static const uint64_t values[] = {
      0, 1, 32, 1ull << 32, 1ull << 63, 0xffffffff00000000u, ~0ull, 0x20000000000000u};
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
    uint64_t value = values[i];
    unsigned result;
    TESTS(0);
    TESTS(13);
    TESTS(14);
    TESTS(15);
    TESTS(17);
    TESTS(18);
  }
}

/* A call through the register, a return through another: x30 and the flags as they should be. */
#define CALLS(reg, back)                                \
  __asm__ volatile("adr x" #reg                         \
                   ", 1f\n\t"                           \
                   "mov %0, #0\n\t"                     \
                   "cmp xzr, xzr\n\t"                   \
                   "blr x" #reg                         \
                   "\n\t"                               \
                   "cset %w1, eq\n\t"                   \
                   "b 2f\n"                             \
                   "1: mov x" #back                     \
                   ", x30\n\t"                          \
                   "add %0, %0, #5\n\t"                 \
                   "mov x30, #0\n\t"                    \
                   "ret x" #back                        \
                   "\n"                                 \
                   "2: adr x" #back                     \
                   ", 3f\n\t"                           \
                   "br x" #back                         \
                   "\n\t"                               \
                   "add %0, %0, #100\n"                 \
                   "3:"                                 \
                   : "=&r"(count), "=&r"(equal)         \
                   :                                    \
                   : "x" #reg, "x" #back, "x30", "cc"); \
  fold(count * 2 + equal)

static void calls(void) {
  uint64_t count, equal;
  CALLS(13, 14);
  CALLS(14, 15);
  CALLS(15, 18);
  CALLS(18, 13);
  CALLS(30, 15);
  CALLS(0, 1);
}

/* A loop over x14 counting down, with the others of the four changing inside: enough iterations to be unrolled and linked. */
static void loop(void) {
  uint64_t sum;
  __asm__ volatile(
      "mov x14, #1000\n\t"
      "mov x15, #0\n\t"
      "mov x18, #3\n\t"
      "mov x13, #7\n"
      "1: madd x15, x14, x18, x15\n\t"
      "eor x13, x13, x15, ror #7\n\t"
      "add x18, x18, x13, lsr #60\n\t"
      "subs x14, x14, #1\n\t"
      "b.ne 1b\n\t"
      "eor %0, x15, x13\n\t"
      "add %0, %0, x18\n\t"
      "add %0, %0, x14"
      : "=r"(sum)
      :
      : "x13", "x14", "x15", "x18", "cc");
  fold(sum);
}

static int through_table(unsigned n) {
  static const void *const targets[] = {&&zero, &&one, &&two, &&three};
  int result = 0;
  for (unsigned i = 0; i < 40; i++) {
    goto *targets[(n + i * i) & 3];
  zero:
    result = result * 3 + 1;
    continue;
  one:
    result = result * 5 + 2;
    continue;
  two:
    result ^= 0x55;
    continue;
  three:
    result -= 7;
  }
  return result;
}

int main(void) {
  conditions();
  printf("conditions %016lx\n", (unsigned long)digest);
  tests();
  printf("tests %016lx\n", (unsigned long)digest);
  calls();
  printf("calls %016lx\n", (unsigned long)digest);
  loop();
  printf("loop %016lx\n", (unsigned long)digest);
  for (unsigned n = 0; n < 1000; n++) fold((uint64_t)through_table(n));
  printf("table %016lx\n", (unsigned long)digest);
  return 0;
}

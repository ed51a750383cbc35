/* mul, imul, div, idiv in all sizes, with the overflow cases of division as precise SIGFPE. */
#include <stdint.h>

#include "digest.h"
#include "trap.h"

#define MUL(op, size)                                         \
  for (int i = 0; i < DIGEST_OPERANDS; i++)                   \
    for (int j = 0; j < DIGEST_OPERANDS; j++) {               \
      uint64_t a = digest_operands[i], d = 0x5555;            \
      unsigned char c, o;                                     \
      __asm__ volatile(op " %" size "4\nsetc %2\nseto %3"     \
                       : "+a"(a), "+d"(d), "=qm"(c), "=qm"(o) \
                       : "r"(digest_operands[j])              \
                       : "cc");                               \
      digest(a), digest(d), digest(c * 2u + o);               \
    }                                                         \
  digest_print(op)

/* `fits` says whether the quotient can be represented; the pairs that cannot are left to the traps below. */
#define DIV(op, size, fits)                                                  \
  for (int i = 0; i < DIGEST_OPERANDS; i++)                                  \
    for (int j = 0; j < DIGEST_OPERANDS; j++) {                              \
      uint64_t a = digest_operands[i], d = 0, b = digest_operands[j];        \
      if (!(fits)) continue;                                                 \
      __asm__ volatile(op " %" size "2" : "+a"(a), "+d"(d) : "r"(b) : "cc"); \
      digest(a), digest(d);                                                  \
    }                                                                        \
  digest_print(op)

__asm__(
    ".text\n"
    "by_zero: xor %ecx, %ecx\n mov $5, %eax\n cltd\n"
    "by_zero_at: div %ecx\n ret\n"
    "too_big: mov $2, %edx\n mov $1, %ecx\n xor %eax, %eax\n"
    "too_big_at: div %ecx\n ret\n"
    "min_by_minus_one: mov $1, %eax\n shl $63, %rax\n cqto\n mov $-1, %rcx\n"
    "min_by_minus_one_at: idiv %rcx\n ret\n"
    "byte_overflow: mov $0x7fff, %eax\n mov $1, %cl\n"
    "byte_overflow_at: idivb %cl\n ret\n");

extern char by_zero[], by_zero_at[], too_big[], too_big_at[], min_by_minus_one[], min_by_minus_one_at[];
extern char byte_overflow[], byte_overflow_at[];

static void show(const char *name, const char *code, const char *at) {
  CHECK(trap_run(code) == 1);
  printf("%s: %s code %d, pc %+ld, address %+ld, rax %llx, rdx %llx\n", name, trap_name(trap_seen.signo),
         trap_seen.code, (long)(trap_seen.pc - (uintptr_t)at), (long)(trap_seen.address - (uintptr_t)at),
         trap_seen.registers[REG_RAX], trap_seen.registers[REG_RDX]);
}

int main(void) {
  MUL("mulb", "b");
  MUL("mulw", "w");
  MUL("mull", "k");
  MUL("mulq", "q");
  MUL("imulb", "b");
  MUL("imulw", "w");
  MUL("imull", "k");
  MUL("imulq", "q");
  DIV("divb", "b", (b & 0xff) != 0 && (a & 0xffff) / (b & 0xff) < 256);
  DIV("divw", "w", (b & 0xffff) != 0);
  DIV("divl", "k", (b & 0xffffffff) != 0);
  DIV("divq", "q", b != 0);
  DIV("idivl", "k", (int32_t)b != 0 && a < 0x80000000u); /* edx = 0: a positive dividend */
  DIV("idivq", "q", b != 0 && a < 0x8000000000000000u);
  trap_install();
  show("by zero", by_zero, by_zero_at);
  show("too big", too_big, too_big_at);
  show("min by minus one", min_by_minus_one, min_by_minus_one_at);
  show("byte overflow", byte_overflow, byte_overflow_at);
  return 0;
}

/* rip-relative operands in many shapes: each immediate size, byte registers, read-modify-write, vectors. */
/* cflags: -mno-red-zone */
#include <stdint.h>

#include "digest.h"
#include "feature.h"

uint64_t cell __asm__("cell") = 0x8877665544332211u;
unsigned char area[128] __asm__("area") __attribute__((aligned(64)));

/* Runs `text`, which may use rax, rdx and xmm0, and digests them, the cell and the flags. */
#define SHAPE(text)                                                                                         \
  do {                                                                                                      \
    cell = 0x8877665544332211u;                                                                             \
    uint64_t rax = 0x1122334455667788u, rdx = 3, flags;                                                     \
    double x[2];                                                                                            \
    __asm__ volatile("xorps %%xmm0, %%xmm0\ntest %%rax, %%rax\n" text "\npushf\npop %2\nmovupd %%xmm0, %3"  \
                     : "+a"(rax), "+d"(rdx), "=&r"(flags), "=m"(x)                                          \
                     :                                                                                      \
                     : "xmm0", "rcx", "rsi", "cc", "memory");                                               \
    digest(rax), digest(rdx), digest(cell), digest(flags &(FLAG_C | FLAG_Z | FLAG_S)), digest_bytes(x, 16); \
    digest_print(text);                                                                                     \
  } while (0)

static void plain(void) {
  SHAPE("movq cell(%%rip), %%rax");
  SHAPE("movb cell+1(%%rip), %%sil\nmovzbl %%sil, %%edx");
  SHAPE("movb cell(%%rip), %%ah");
  SHAPE("movb %%dh, cell+3(%%rip)");
  SHAPE("movl %%eax, cell(%%rip)");
  SHAPE("movw %%ax, cell+6(%%rip)");
  SHAPE("movslq cell+4(%%rip), %%rdx");
  SHAPE("movzwl cell(%%rip), %%edx");
  SHAPE("xchgq %%rax, cell(%%rip)");
  SHAPE("leaq cell+8(%%rip), %%rax\nleaq cell(%%rip), %%rcx\nsubq %%rcx, %%rax");
  SHAPE("pushq cell(%%rip)\npopq %%rdx\npushq $9\npopq cell(%%rip)");
}

static void with_immediates(void) {
  SHAPE("movb $0x5a, cell+7(%%rip)");
  SHAPE("movw $0x5a5a, cell+2(%%rip)");
  SHAPE("movl $0x5a5a5a5a, cell(%%rip)");
  SHAPE("movq $-2, cell(%%rip)");
  SHAPE("addb $0x7f, cell(%%rip)");
  SHAPE("addw $0x7fff, cell(%%rip)");
  SHAPE("addl $5, cell(%%rip)");
  SHAPE("addq $0x12345678, cell(%%rip)");
  SHAPE("cmpb $0x11, cell(%%rip)");
  SHAPE("cmpw $0x2211, cell(%%rip)");
  SHAPE("cmpl $0x44332211, cell(%%rip)");
  SHAPE("cmpq $-1, cell(%%rip)");
  SHAPE("testb $0x80, cell+7(%%rip)");
  SHAPE("testl $0x40000000, cell(%%rip)");
  SHAPE("imulq $1000, cell(%%rip), %%rax");
  SHAPE("imull $-3, cell(%%rip), %%edx");
  SHAPE("shlq $7, cell(%%rip)");
  SHAPE("rorl cell(%%rip)");
  SHAPE("btsq $3, cell(%%rip)");
  SHAPE("shldq $12, %%rax, cell(%%rip)");
}

static void read_modify_write(void) {
  SHAPE("incq cell(%%rip)");
  SHAPE("notb cell+2(%%rip)");
  SHAPE("negq cell(%%rip)");
  SHAPE("lock addq %%rdx, cell(%%rip)");
  SHAPE("lock xaddl %%eax, cell(%%rip)");
  SHAPE("movq cell(%%rip), %%rax\nlock cmpxchgq %%rdx, cell(%%rip)");
  SHAPE("sbbq %%rdx, cell(%%rip)");
  SHAPE("setnz cell+5(%%rip)");
  SHAPE("cmovnzq cell(%%rip), %%rdx");
  SHAPE("movl $0, %%edx\ndivl cell+4(%%rip)");
  SHAPE("mulq cell(%%rip)");
  SHAPE("movbeq cell(%%rip), %%rax");
}

static void vectors(void) {
  for (int i = 0; i < 128; i++) area[i] = (unsigned char)(i * 5 + 1);
  SHAPE("movdqa area(%%rip), %%xmm0");
  SHAPE("movups area+3(%%rip), %%xmm0");
  SHAPE("movsd cell(%%rip), %%xmm0");
  SHAPE("pshufd $0x1b, area(%%rip), %%xmm0");
  SHAPE("movdqa area(%%rip), %%xmm0\npshufb area+16(%%rip), %%xmm0");
  SHAPE("pinsrb $5, cell(%%rip), %%xmm0");
  SHAPE("movdqa area(%%rip), %%xmm0\npextrw $3, %%xmm0, cell(%%rip)");
  SHAPE("cvtsi2sdq cell(%%rip), %%xmm0");
  SHAPE("movdqa area(%%rip), %%xmm0\npalignr $5, area+32(%%rip), %%xmm0");
  SHAPE("movdqa area(%%rip), %%xmm0\npcmpistri $0x0c, area+16(%%rip), %%xmm0\nmovl %%ecx, %%eax");
}

int main(void) {
  if (!__builtin_cpu_supports("sse4.2") || !feature_movbe()) {
    puts("skipped: needs sse4.2 and movbe");
    return 0;
  }
  plain();
  with_immediates();
  read_modify_write();
  vectors();
  return 0;
}

/* xlat, enter and leave, sign extensions, high byte registers, xchg, long nops, 16-bit pushes. */
/* cflags: -mno-red-zone */
#include <stdint.h>

#include "check.h"

__asm__(
    ".text\n"
    "enter_leave:\n"
    "  mov %rsp, %rdx\n"
    "  enter $32, $0\n"
    "  mov %rdi, -8(%rbp)\n"
    "  mov -8(%rbp), %rax\n"
    "  leave\n"
    "  sub %rsp, %rdx\n"
    "  add %rdx, %rax\n"
    "  ret\n"
    "enter_nested:\n" /* level 2 copies one frame pointer of the display */
    "  push %rbx\n"
    "  mov %rsp, %rbx\n"
    "  enter $16, $1\n"
    "  mov %rbp, %rdx\n"
    "  enter $8, $2\n"
    "  mov -8(%rbp), %rax\n" /* the outer frame's pointer, copied */
    "  sub %rdx, %rax\n"
    "  mov %rbp, %rcx\n"
    "  sub -16(%rbp), %rcx\n" /* its own */
    "  add %rcx, %rax\n"
    "  leave\n"
    "  leave\n"
    "  sub %rsp, %rbx\n"
    "  add %rbx, %rax\n"
    "  pop %rbx\n"
    "  ret\n");
extern long enter_leave(long), enter_nested(void);

static void high_bytes(void) {
  uint64_t a = 0x1122334455667788, b = 0x99aabbccddeeff00, c = 0x0123456789abcdef, d = 0xfedcba9876543210;
  __asm__(
      "mov %%ah, %%bl\nadd %%ch, %%dh\nxchg %%al, %%bh\nmovzbl %%dh, %%ecx\nmovsbw %%ah, %%dx\nsub %%cl, %%ah"
      : "+a"(a), "+b"(b), "+c"(c), "+d"(d)::"cc");
  printf("%016lx %016lx %016lx %016lx\n", a, b, c, d);
  __asm__("mov %%eax, %%eax\nmov %%bx, %%bx\nxchg %%ecx, %%ecx\nxchg %%edx, %%ebx" /* upper halves cleared */
          : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
  printf("%016lx %016lx %016lx %016lx\n", a, b, c, d);
  __asm__("mov %0, %%rsi\nmov %%sil, %%dil\nmovsbq %%sil, %0\nbswap %k1\nxchg %%eax, %%eax"
          : "+a"(a), "+b"(b)::"rsi", "rdi");
  printf("%016lx %016lx\n", a, b);
}

static void extensions(void) {
  uint64_t a = 0x8081828384858687, d = 1;
  __asm__("cbtw" : "+a"(a));
  printf("cbw %016lx\n", a);
  __asm__("cwtl" : "+a"(a));
  printf("cwde %016lx\n", a);
  __asm__("cltq" : "+a"(a));
  printf("cdqe %016lx\n", a);
  __asm__("cqto" : "+a"(a), "+d"(d));
  printf("cqo %016lx\n", d);
  a = 0x7fff, d = ~0ul;
  __asm__("cwtd" : "+a"(a), "+d"(d));
  printf("cwd %016lx\n", d);
  __asm__("cltd" : "+a"(a), "+d"(d));
  printf("cdq %016lx\n", d);
}

int main(void) {
  unsigned char table[256];
  for (int i = 0; i < 256; i++) table[i] = (unsigned char)(i * 3 + 1);
  uint64_t al = 0xffffffffffffff85;
  __asm__("xlat" : "+a"(al) : "b"(table), "m"(table));
  printf("xlat %016lx\n", al);
  CHECK(enter_leave(99) == 99);
  CHECK(enter_nested() == 0); /* both display entries and the stack are as they should be */
  high_bytes();
  extensions();
  uint64_t r = 0x1234;
  __asm__(
      "nop\nnopw (%%rax)\nnopl 0x12345678(%%rax,%%rax,8)\npause\nendbr64\nprefetcht0 "
      "(%%rsp)\nlfence\nmfence\nsfence"
      : "+r"(r));
  __asm__(
      "pushw %w0\npopw %%ax\npushw $0x55\npopw %%dx\nmovzwl %%ax, %%eax\nmovzwl %%dx, %%edx\nlea "
      "(%%rax,%%rdx), %0"
      : "+r"(r)::"rax", "rdx");
  printf("%lx\n", r);
  return 0;
}

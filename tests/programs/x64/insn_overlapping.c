/* Jumps into the middle of an instruction: the same bytes executed as two different instruction streams. */
#include <stdint.h>

#include "emit.h"

__asm__(
    ".text\n"
    "overlap:\n" /* edi: 0 enters the outer stream, 1 the inner one hidden in its immediate */
    "  xor %eax, %eax\n"
    "  test %edi, %edi\n"
    "  jnz inside+2\n"
    "inside:\n"
    "  .byte 0x48, 0xb8\n"          /* movabs rax, imm64 whose bytes are: */
    "  .byte 0xb8, 0x2a, 0, 0, 0\n" /*   mov eax, 42 */
    "  .byte 0xff, 0xc0\n"          /*   inc eax */
    "  .byte 0xc3\n"                /*   ret */
    "  shr $40, %rax\n"
    "  ret\n"
    "lock_skip:\n" /* jumps over or onto a lock prefix, as C libraries once did */
    "  mov %rdi, %rdx\n"
    "  mov $5, %eax\n"
    "  mov $9, %ecx\n"
    "  test %esi, %esi\n"
    "  je 1f\n"
    "  lock\n"
    "1: cmpxchg %ecx, (%rdx)\n"
    "  ret\n");

extern uint64_t overlap(int), lock_skip(uint32_t *, int);

/* every offset of a sled of immediates is a valid entry: eb fe-like patterns, each ending elsewhere */
static void sled(void) {
  byte *p = jit_map(JIT_PAGE);
  memset(p, 0xb0, 64); /* mov al, 0xb0 from an even distance, or starting one later */
  JIT_EMIT(p + 64, "\x04\x01\x0f\xb6\xc0\xc3"); /* 64: add al, 1 or immediate 4; ...; movzx eax, al; ret */
  p[65] = 0x90;
  for (int entry = 0; entry < 64; entry++) printf("%u%c", jit_call(p + entry), entry % 16 == 15 ? '\n' : ' ');
}

int main(void) {
  for (int i = 0; i < 3; i++) printf("outer %lu, inner %lu\n", overlap(0), overlap(1));
  for (int locked = 0; locked < 2; locked++) {
    uint32_t word = 5;
    uint64_t first = lock_skip(&word, locked), second = lock_skip(&word, locked);
    printf("word %u, %lu %lu\n", word, first, second);
  }
  sled();
  return 0;
}

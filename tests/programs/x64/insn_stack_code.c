/* Code on an executable stack: called, jumped to by jmp *%rsp, changed in place at every call. */
/* cflags: -Wl,-z,execstack */
#include "jit.h"

__asm__(
    ".text\n"
    "jump_to_stack:\n" /* builds mov $imm, %eax; jmp *%rdx on the stack and jumps to it */
    "  lea 1f(%rip), %rdx\n"
    "  mov %rsp, %rcx\n"
    "  sub $16, %rsp\n"
    "  movb $0xb8, (%rsp)\n"
    "  mov %edi, 1(%rsp)\n"
    "  movw $0xe2ff, 5(%rsp)\n"
    "  jmp *%rsp\n"
    "1: mov %rcx, %rsp\n"
    "  ret\n");
extern uint32_t jump_to_stack(uint32_t);

static __attribute__((noinline)) uint32_t on_stack(uint32_t value, int depth) {
  byte code[JIT_CONSTANT_SIZE];
  jit_constant(code, value);
  uint32_t got = jit_call(code);
  return depth == 0 ? got : got + on_stack(value + 1, depth - 1);
}

int main(void) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    CHECK(jump_to_stack(i * 3) == i * 3);
    sum += jump_to_stack(i);
  }
  printf("jumped %u\n", sum);
  sum = 0;
  for (uint32_t i = 0; i < 100; i++) sum += on_stack(i, (int)(i % 10));
  printf("called %u\n", sum);
  return 0;
}

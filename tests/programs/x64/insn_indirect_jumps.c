/* Indirect jumps and calls in all addressing forms: register, table, rip-relative, memory at memory, tail. */
#include <stdint.h>

#include "check.h"

__asm__(
    ".text\n"
    "f0: lea 10(%rdi), %rax\n  ret\n"
    "f1: lea 20(%rdi), %rax\n  ret\n"
    "f2: lea 30(%rdi), %rax\n  ret\n"
    "f3: lea 40(%rdi), %rax\n  ret\n"
    ".section .data.rel.ro,\"aw\"\n"
    ".p2align 3\n"
    "table: .quad f0, f1, f2, f3\n"
    "table_pointer: .quad table\n"
    ".section .rodata\n"
    ".p2align 2\n"
    "offsets: .long f0-offsets, f1-offsets, f2-offsets, f3-offsets\n"
    ".text\n"
    "by_register:\n"
    "  lea table(%rip), %r11\n"
    "  mov (%r11,%rsi,8), %r11\n"
    "  jmp *%r11\n"
    "by_table:\n"
    "  lea table(%rip), %rax\n"
    "  jmp *(%rax,%rsi,8)\n"
    "by_extended:\n"
    "  lea table(%rip), %r13\n" /* r13 needs a displacement byte; saved in r8 */
    "  mov %rsi, %r9\n"
    "  jmp *(%r13,%r9,8)\n"
    "keep_r13:\n"
    "  mov %r13, %r8\n"
    "  call by_extended\n"
    "  mov %r8, %r13\n"
    "  ret\n"
    "by_rip:\n"
    "  call *table+16(%rip)\n"
    "  ret\n"
    "by_offsets:\n" /* what compilers make of a switch */
    "  lea offsets(%rip), %rdx\n"
    "  movslq (%rdx,%rsi,4), %rax\n"
    "  add %rdx, %rax\n"
    "  jmp *%rax\n"
    "by_memory_of_memory:\n"
    "  mov table_pointer(%rip), %rax\n"
    "  call *24(%rax)\n"
    "  ret\n"
    "by_rax_clobbered:\n" /* the target register is also the return value's */
    "  lea table(%rip), %rax\n"
    "  mov 8(%rax), %rax\n"
    "  call *%rax\n"
    "  ret\n"
    "by_stack_pointer:\n" /* jmp *(%rsp) leaves the word there for the target's ret */
    "  lea 1f(%rip), %rax\n"
    "  push %rax\n"
    "  jmp *(%rsp)\n"
    "1: pop %rdx\n"
    "  sub %rax, %rdx\n"
    "  lea 50(%rdi,%rdx), %rax\n"
    "  ret\n");

typedef long (*function)(long, long);
extern long by_register(long, long), by_table(long, long), keep_r13(long, long), by_rip(long, long);
extern long by_offsets(long, long), by_memory_of_memory(long, long), by_rax_clobbered(long, long);
extern long by_stack_pointer(long, long);

int main(void) {
  static const function f[] = {by_register,         by_table,         keep_r13,        by_rip, by_offsets,
                               by_memory_of_memory, by_rax_clobbered, by_stack_pointer};
  for (unsigned form = 0; form < 8; form++) {
    long sum = 0;
    for (long i = 0; i < 1000; i++) sum = sum * 3 + f[form](i, (i * 7 + i / 5) % 4);
    printf("form %u: %016lx\n", form, (unsigned long)sum);
  }
  return 0;
}

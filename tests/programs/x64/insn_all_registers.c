/* Every general register holds a live value, rbp and rsp included, while memory is read and written. */
#include <stdint.h>

#include "check.h"

uint64_t all_in[16], all_out[16], all_saved_sp;
uint64_t all_memory[32] __attribute__((aligned(64)));

__asm__(
    ".text\n"
    "all_registers:\n" /* edi: rounds */
    "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, all_saved_sp(%rip)\n"
    "  mov %edi, all_rounds(%rip)\n"
    "  mov all_in+0(%rip), %rax\n  mov all_in+8(%rip), %rcx\n  mov all_in+16(%rip), %rdx\n"
    "  mov all_in+24(%rip), %rbx\n  lea all_memory+128(%rip), %rsp\n  mov all_in+40(%rip), %rbp\n"
    "  mov all_in+48(%rip), %rsi\n  mov all_in+56(%rip), %rdi\n  mov all_in+64(%rip), %r8\n"
    "  mov all_in+72(%rip), %r9\n  mov all_in+80(%rip), %r10\n  mov all_in+88(%rip), %r11\n"
    "  mov all_in+96(%rip), %r12\n  mov all_in+104(%rip), %r13\n  mov all_in+112(%rip), %r14\n"
    "  mov all_in+120(%rip), %r15\n"
    "1: add %rax, -8(%rsp)\n"
    "  xor -16(%rsp), %rcx\n"
    "  adc %rdx, -24(%rsp)\n"
    "  push %rbx\n"
    "  pop -120(%rsp)\n"
    "  mov %rbp, -40(%rsp)\n"
    "  add -8(%rsp), %rsi\n"
    "  sub %rdi, -48(%rsp)\n"
    "  xchg %r8, -56(%rsp)\n"
    "  lock xadd %r9, -64(%rsp)\n"
    "  imul -40(%rsp), %r10\n"
    "  rol $7, %r11\n"
    "  bswap %r12\n"
    "  lea 3(%r13,%r14,4), %r13\n"
    "  xor %r15, -72(%rsp)\n"
    "  cmp %r14, %r15\n"
    "  cmova %rbp, %r14\n"
    "  add %r13, %r15\n"
    "  lea 1(%rax,%rcx), %rax\n"
    "  lea (%rdx,%rbx,2), %rdx\n"
    "  lea 5(%rbx,%rsi), %rbx\n"
    "  lea (%rbp,%r11), %rbp\n"
    "  lea (%rdi,%r12), %rdi\n"
    "  decl all_rounds(%rip)\n"
    "  jnz 1b\n"
    "  mov %rax, all_out+0(%rip)\n  mov %rcx, all_out+8(%rip)\n  mov %rdx, all_out+16(%rip)\n"
    "  mov %rbx, all_out+24(%rip)\n  mov %rbp, all_out+40(%rip)\n  mov %rsi, all_out+48(%rip)\n"
    "  mov %rdi, all_out+56(%rip)\n  mov %r8, all_out+64(%rip)\n  mov %r9, all_out+72(%rip)\n"
    "  mov %r10, all_out+80(%rip)\n  mov %r11, all_out+88(%rip)\n  mov %r12, all_out+96(%rip)\n"
    "  mov %r13, all_out+104(%rip)\n  mov %r14, all_out+112(%rip)\n  mov %r15, all_out+120(%rip)\n"
    "  lea all_memory+128(%rip), %rax\n"
    "  sub %rax, %rsp\n"
    "  mov %rsp, all_out+32(%rip)\n" /* 0: it came back to where it was */
    "  mov all_saved_sp(%rip), %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"
    "  ret\n"
    ".lcomm all_rounds, 4\n");
extern void all_registers(int rounds);

int main(void) {
  for (unsigned i = 0; i < 16; i++) all_in[i] = (i + 1) * 0x0123456789abcdefu;
  for (unsigned i = 0; i < 32; i++) all_memory[i] = i * 0xfedcba9876543211u;
  all_registers(1000);
  for (int i = 0; i < 16; i++) printf("r%d %016lx\n", i, (unsigned long)all_out[i]);
  for (int i = 0; i < 17; i++) printf("m%d %016lx\n", i, (unsigned long)all_memory[i]);
  return 0;
}

/* Short functions, whose returns are easy to foresee, and what happens when they go elsewhere after all: another return address,
 * with the flags as the function left them; a fault inside; a nested call; the same function from several places. */
#include "trap.h"

__asm__(
    ".text\n"
    "swerve:\n" /* rdi: how much further to return; sets flags, then does nothing that would */
    "  mov (%rsp), %rax\n"
    "  lea (%rax,%rdi), %rax\n"
    "  mov %rax, (%rsp)\n"
    "  mov $0x7fffffff, %eax\n"
    "  add %esi, %eax\n" /* overflow, sign and the rest as esi wants */
    "  mov %rdi, %rdx\n"
    "  ret\n"
    "call_swerve:\n"
    "  push %rbx\n"
    "  xor %ebx, %ebx\n"
    "  call swerve\n"
    "1: nop\n nop\n nop\n jmp 2f\n" /* five bytes */
    "  pushf\n pop %rax\n add $1, %ebx\n jmp 3f\n"
    "2: pushf\n pop %rax\n"
    "3: and $0x8d5, %eax\n shl $4, %rbx\n add %rbx, %rax\n"
    "  pop %rbx\n"
    "  ret\n"
    "saves:\n" /* pops and moves the stack pointer behind its last flags */
    "  push %rbx\n push %rbp\n sub $24, %rsp\n"
    "  mov %rdi, %rbx\n mov %rsi, %rbp\n"
    "  mov %rbx, (%rsp)\n imul %rbp, %rbx\n add (%rsp), %rbx\n"
    "  mov %rbx, %rax\n"
    "  add $24, %rsp\n pop %rbp\n pop %rbx\n"
    "  ret\n"
    "leaf: lea (%rdi,%rsi,2), %rax\n test %rax, %rax\n ret\n"
    "middle: push %rdi\n call leaf\n pop %rdi\n add %rdi, %rax\n ret\n"
    "nested: call middle\n xor $0x55, %rax\n push %rax\n call leaf\n pop %rdx\n sub %rdx, %rax\n ret\n"
    "loads: mov (%rdi), %rax\n add $1, %rax\n ret\n"
    "loads_fault_at: \n"
    "three_loads: push %rdi\n lea good(%rip), %rdi\n call loads\n call loads\n pop %rdi\n call loads\n ret\n"
    "faults: xor %edi, %edi\n call three_loads\n ret\n"
    ".data\n good: .quad 41\n .text\n"
    "even: test %edi, %edi\n je 1f\n dec %edi\n call odd\n ret\n 1: mov $1, %eax\n ret\n"
    "odd: test %edi, %edi\n je 1f\n dec %edi\n call even\n ret\n 1: xor %eax, %eax\n ret\n");

extern unsigned long call_swerve(unsigned long further, unsigned long addend);
extern unsigned long saves(unsigned long, unsigned long), nested(unsigned long, unsigned long);
extern unsigned long even(unsigned long), odd(unsigned long);
extern char faults[], loads[];

int main(void) {
  trap_install();
  for (unsigned long i = 0; i < 40; i++)
    printf("swerve %lx\n", call_swerve(i % 3 == 1 ? 5 : 0, i * 0x11111111));
  unsigned long sum = 0;
  for (unsigned long i = 0; i < 1000; i++)
    sum = sum * 31 + saves(i, sum) + nested(sum, i) + even(i % 50) + 2 * odd(i % 7);
  printf("sum %lx\n", sum);
  for (int i = 0; i < 3; i++)
    if (trap_run(faults))
      printf("%s at %lx, pc %+ld, %lx above the stack pointer\n", trap_name(trap_seen.signo),
             trap_seen.address, (long)(trap_seen.pc - (uintptr_t)loads),
             *(unsigned long *)trap_seen.sp - (uintptr_t)loads);
  return 0;
}

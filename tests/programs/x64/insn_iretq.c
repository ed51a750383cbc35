/* iretq within 64-bit code goes on at the frame's pc, stack and flags; with bad selectors it faults in its place. */
#include "trap.h"

__asm__(
    ".text\n"
    "do_iretq: mov %rsp, %rax\n"
    "  push ss_wanted(%rip)\n"
    "  push %rax\n" /* the stack as it was */
    "  pushq $0x246\n"
    "  push cs_wanted(%rip)\n"
    "  lea 1f(%rip), %rcx\n"
    "  push %rcx\n"
    "  xor %ecx, %ecx\n inc %ecx\n" /* other flags than those in the frame */
    "iretq_at: iretq\n"
    "  ud2\n"
    "1: pushf\n pop %rdx\n"
    "  cmp %rsp, %rax\n"
    "  mov $0, %eax\n"
    "  sete %al\n"
    "  mov %rdx, flags_found(%rip)\n"
    "  mov %rax, stack_found(%rip)\n"
    "  ret\n");

extern char do_iretq[], iretq_at[];
unsigned long cs_wanted, ss_wanted, flags_found, stack_found;

int main(void) {
  static const unsigned long selectors[][2] = {
      {0x33, 0x2b}, {0, 0x2b}, {0x33, 0x33}, {0x2b, 0x2b}, {0x10, 0x2b}};
  trap_install();
  for (unsigned i = 0; i < 3 * sizeof selectors / sizeof selectors[0]; i++) {
    cs_wanted = selectors[i / 3][0], ss_wanted = selectors[i / 3][1];
    printf("%lx %lx: ", cs_wanted, ss_wanted);
    if (trap_run(do_iretq))
      printf("%s code %d, pc %+ld, error %llx\n", trap_name(trap_seen.signo), trap_seen.code,
             (long)(trap_seen.pc - (uintptr_t)iretq_at), trap_seen.registers[REG_ERR]);
    else
      printf("flags %lx, stack %lu\n", flags_found & 0xfd5, stack_found);
  }
  return 0;
}

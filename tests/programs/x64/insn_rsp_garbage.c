/* rsp as an ordinary number: branches, atomics and a system call never touch memory below it. */
#include <stdint.h>

#include "check.h"

uint64_t garbage_saved_sp, garbage_counter;

__asm__(
    ".text\n"
    "with_garbage:\n" /* rdi: value for rsp */
    "  push %rbx\n"
    "  mov %rsp, garbage_saved_sp(%rip)\n"
    "  mov %rdi, %rsp\n"
    "  mov $1000, %ebx\n"
    "1: add $16, %rsp\n" /* counts in rsp */
    "  lea 2f(%rip), %rax\n"
    "  jmp *%rax\n"
    "  ud2\n"
    "2: lock incq garbage_counter(%rip)\n"
    "  cmp $500, %ebx\n"
    "  jne 3f\n"
    "  mov $39, %eax\n" /* getpid */
    "  syscall\n"
    "3: dec %ebx\n"
    "  jnz 1b\n"
    "  mov %rsp, %rax\n"
    "  sub %rdi, %rax\n"
    "  mov garbage_saved_sp(%rip), %rsp\n"
    "  pop %rbx\n"
    "  ret\n"
    "keep_below:\n" /* fills 4 KiB below rsp, works, and counts the words that changed */
    "  lea -4096(%rsp), %rdx\n"
    "  mov $512, %ecx\n"
    "1: mov %rcx, -8(%rdx,%rcx,8)\n"
    "  loop 1b\n"
    "  mov $1000, %esi\n"
    "2: lea 3f(%rip), %rax\n"
    "  jmp *%rax\n"
    "  ud2\n"
    "3: lock incq garbage_counter(%rip)\n"
    "  cmpq $0, garbage_counter(%rip)\n"
    "  je 4f\n"
    "  dec %esi\n"
    "  jnz 2b\n"
    "4: mov $39, %eax\n"
    "  push %rdx\n" /* the one word above the area that may change */
    "  pop %r8\n"
    "  syscall\n"
    "  mov %r8, %rdx\n"
    "  xor %eax, %eax\n"
    "  mov $511, %ecx\n" /* all but the word the push has used */
    "5: cmp %rcx, -8(%rdx,%rcx,8)\n"
    "  je 6f\n"
    "  inc %eax\n"
    "6: loop 5b\n"
    "  ret\n");
extern uint64_t with_garbage(uint64_t), keep_below(void);

int main(void) {
  static const uint64_t value[] = {
      0, 8, 0x1000, 0x123456789, 0xffffffffffff0000, 0x8000000000000001, 0xdeadbeefdeadbeef};
  for (unsigned i = 0; i < sizeof value / sizeof value[0]; i++) printf("%lu ", with_garbage(value[i]));
  uint64_t changed = keep_below();
  printf("\ncounter %lu, words changed below the stack %lu\n", garbage_counter, changed);
  return 0;
}

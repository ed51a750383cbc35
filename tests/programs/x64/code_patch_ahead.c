/* Straight-line code that changes instructions further on in the block it is executing. */
#include "jit.h"

__asm__(
    ".text\n"
    ".p2align 12\n"
    "ahead:\n"
    "  xor %eax, %eax\n"
    "  movb $0xc0, inc_or_dec+1(%rip)\n" /* inc eax: ff c0 */
    "inc_or_dec:\n"
    "  dec %eax\n"
    "  movl $100, add_this+1(%rip)\n"
    "  nop\n"
    "add_this:\n"
    "  add $0x7fffffff, %eax\n"
    "  movw $0x9090, skip(%rip)\n" /* the jump over the next addition becomes two nops */
    "  lea 1000(%rax), %eax\n"
    "skip:\n"
    "  jmp 1f\n"
    "  add $20000, %eax\n"
    "1: ret\n"
    "restore:\n"
    "  movb $0xc8, inc_or_dec+1(%rip)\n"
    "  movl $0x7fffffff, add_this+1(%rip)\n"
    "  movw $0x04eb, skip(%rip)\n"
    "  ret\n"
    ".p2align 12\n");

extern byte ahead[], restore[], skip[];

int main(void) {
  CHECK(mprotect(ahead, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  byte distance = skip[1]; /* of the short jump, as assembled */
  for (int i = 0; i < 200; i++) {
    CHECK(jit_call(ahead) == 21101);
    jit_call(restore);
    skip[1] = distance;
  }
  printf("%u\n", jit_call(ahead));
  return 0;
}

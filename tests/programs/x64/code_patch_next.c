/* A loop that overwrites the immediate operand of its own next instruction in every round. */
#include "jit.h"

__asm__(
    ".text\n"
    ".p2align 12\n"
    "patch_next:\n"
    "  xor %eax, %eax\n"
    "  mov $1000, %ecx\n"
    "1: lea (%rcx,%rcx,2), %edx\n"
    "  mov %edx, patched+1(%rip)\n"
    "patched:\n"
    "  mov $0x11111111, %edx\n"
    "  add %edx, %eax\n"
    "  dec %ecx\n"
    "  jnz 1b\n"
    "  ret\n"
    "patch_previous:\n" /* the patched instruction lies behind, and is reached by the back edge */
    "  xor %eax, %eax\n"
    "  mov $1000, %ecx\n"
    "2: mov $1, %edx\n"
    "  add %edx, %eax\n"
    "  mov %ecx, 2b+1(%rip)\n"
    "  dec %ecx\n"
    "  jnz 2b\n"
    "  ret\n"
    ".p2align 12\n");

extern byte patch_next[], patch_previous[];

int main(void) {
  CHECK(mprotect(patch_next, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  for (int i = 0; i < 2; i++) {
    uint32_t next = jit_call(patch_next), previous = jit_call(patch_previous);
    CHECK(next == 3u * 1000 * 1001 / 2);
    printf("%u %u\n", next, previous);
  }
  return 0;
}

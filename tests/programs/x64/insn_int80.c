/* int 0x80 from 64-bit code: the 32-bit call numbers, or SIGSEGV where the kernel has none. */
#include <stdint.h>

#include "trap.h"

static long result;
__asm__(
    ".text\n"
    "old_getpid: push %rbx\n"
    "  mov $20, %eax\n" /* getpid in the 32-bit table */
    "old_getpid_at: int $0x80\n"
    "  mov %rax, old_result(%rip)\n"
    "  pop %rbx\n"
    "  ret\n");
extern char old_getpid[], old_getpid_at[];
long old_result;

int main(void) {
  trap_install();
  if (trap_run(old_getpid)) {
    CHECK(trap_seen.signo == SIGSEGV && trap_seen.pc == (uintptr_t)old_getpid_at);
  } else {
    result = old_result;
    CHECK(result == getpid() || result == -38);
  }
  puts("int 0x80 does something documented");
  return 0;
}

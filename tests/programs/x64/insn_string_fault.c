/* A rep movsb that runs into a bad page stops with registers that tell how far it came. */
#include "jit.h"
#include "trap.h"

__asm__(
    ".text\n"
    "copy: rep movsb\n"
    "copy_end: ret\n"
    "set_up:\n"
    "  mov from_pointer(%rip), %rsi\n"
    "  mov to_pointer(%rip), %rdi\n"
    "  mov $3000, %ecx\n"
    "  jmp copy\n");

extern char copy[], set_up[];
unsigned char *from_pointer, *to_pointer;

int main(void) {
  trap_install();
  byte *from = jit_map(2 * JIT_PAGE), *to = jit_map(2 * JIT_PAGE);
  for (int i = 0; i < 2 * JIT_PAGE; i++) from[i] = (byte)(i * 7);
  CHECK(munmap(from + JIT_PAGE, JIT_PAGE) == 0);
  from_pointer = from + JIT_PAGE - 1000;
  to_pointer = to;
  CHECK(trap_run(set_up) == 1);
  printf("%s at %+ld, address %+ld\n", trap_name(trap_seen.signo), (long)(trap_seen.pc - (uintptr_t)copy),
         (long)(trap_seen.address - (uintptr_t)(from + JIT_PAGE)));
  printf("rcx %lld, rsi %+lld, rdi %+lld\n", trap_seen.registers[REG_RCX],
         trap_seen.registers[REG_RSI] - (greg_t)(uintptr_t)from_pointer,
         trap_seen.registers[REG_RDI] - (greg_t)(uintptr_t)to);
  int right = 0;
  for (int i = 0; i < 1000; i++) right += to[i] == (byte)((JIT_PAGE - 1000 + i) * 7);
  printf("copied %d, next byte %d\n", right, to[1000]);
  CHECK(mprotect(to + JIT_PAGE, JIT_PAGE, PROT_READ) == 0); /* now the destination */
  from_pointer = from;
  to_pointer = to + JIT_PAGE - 10;
  CHECK(trap_run(set_up) == 1);
  printf("%s, rcx %lld, error %llx\n", trap_name(trap_seen.signo), trap_seen.registers[REG_RCX],
         trap_seen.registers[REG_ERR]);
  return 0;
}

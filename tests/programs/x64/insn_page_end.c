/* Code that ends flush with its last page runs; one byte further it faults at the whole instruction. */
#include "emit.h"
#include "trap.h"

int main(void) {
  trap_install();
  byte *p = jit_map(2 * JIT_PAGE), *end = p + JIT_PAGE;
  CHECK(munmap(end, JIT_PAGE) == 0);
  jit_constant(end - JIT_CONSTANT_SIZE, 77); /* the last byte is the ret */
  printf("flush: %u\n", jit_call(end - JIT_CONSTANT_SIZE));
  JIT_EMIT(end - 8, "\x90\xb8\x05\0\0\0\xeb\xf3"); /* the last instruction is a jump back */
  JIT_EMIT(end - 13, "\xff\xc0\xc3");
  printf("backwards: %u\n", jit_call(end - 8));
  for (int cut = 1; cut <= 9; cut++) { /* mov rax, imm64 with `cut` bytes on the mapped page */
    memset(p, 0x90, JIT_PAGE);
    jit_bytes(end - cut, "\x48\xb8\x11\x22\x33\x44\x55\x66\x77\x88", (size_t)cut);
    CHECK(trap_run(end - 64) == 1);
    printf("cut at %d: %s code %d, pc %+ld, address %+ld\n", cut, trap_name(trap_seen.signo), trap_seen.code,
           (long)(trap_seen.pc - (uintptr_t)end), (long)(trap_seen.address - (uintptr_t)end));
  }
  memset(p, 0x90, JIT_PAGE); /* falls off the page */
  CHECK(trap_run(end - 64) == 1);
  printf("fell off: %s, pc %+ld, address %+ld\n", trap_name(trap_seen.signo),
         (long)(trap_seen.pc - (uintptr_t)end), (long)(trap_seen.address - (uintptr_t)end));
  JIT_EMIT(end - 2, "\x0f\x0b"); /* an undefined instruction at the very end is not a page fault */
  CHECK(trap_run(end - 64) == 1);
  printf("ud2 at the end: %s, pc %+ld\n", trap_name(trap_seen.signo), (long)(trap_seen.pc - (uintptr_t)end));
  return 0;
}

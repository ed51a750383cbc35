/* 10,000 straight-line instructions without a branch, with a fault in the middle reported exactly. */
#include "emit.h"
#include "trap.h"

enum { COUNT = 10000 };

static uint32_t step(uint32_t eax, uint32_t k) {
  return k % 3 == 0 ? eax + k : k % 3 == 1 ? eax ^ k * 0x01000193u : eax << 5 | eax >> 27;
}

int main(void) {
  trap_install();
  byte *code = jit_map(64 << 10), *p = code, *middle = NULL;
  p = JIT_EMIT(p, "\x31\xc0"); /* xor eax, eax */
  uint32_t expected = 0, half = 0;
  for (uint32_t k = 0; k < COUNT; k++) {
    if (k == COUNT / 2) middle = p, half = expected;
    if (k % 3 == 0) p = jit_u32(JIT_EMIT(p, "\x05"), k);
    if (k % 3 == 1) p = jit_u32(JIT_EMIT(p, "\x35"), k * 0x01000193u);
    if (k % 3 == 2) p = JIT_EMIT(p, "\xc1\xc0\x05");
    expected = step(expected, k);
  }
  JIT_EMIT(p, "\xc3");
  for (int i = 0; i < 100; i++) CHECK(jit_call(code) == expected);
  printf("%08x\n", expected);
  JIT_EMIT(middle, "\x0f\x0b");
  CHECK(trap_run(code) == 1);
  CHECK((uint32_t)trap_seen.registers[REG_RAX] == half);
  printf("%s at the middle %+ld, eax %08x\n", trap_name(trap_seen.signo),
         (long)(trap_seen.pc - (uintptr_t)middle), half);
  return 0;
}

/* One opcode byte of a hot loop is flipped between runs: jz to jnz, add to sub, call to jmp. */
#include "emit.h"

int main(void) {
  byte *p = jit_map(JIT_PAGE);
  /* 0: mov eax, 0; 5: mov ecx, 50; 10: test cl, 1; 13: jz 17; 15: add eax, ecx; 17: dec ecx; jnz 10; ret */
  JIT_EMIT(p, "\xb8\0\0\0\0\xb9\x32\0\0\0\xf6\xc1\x01\x74\x02\x01\xc8\xff\xc9\x75\xf5\xc3");
  uint32_t history = 0;
  for (uint32_t i = 0; i < 4000; i++) {
    if (i % 2) p[13] ^= 1;         /* jz <-> jnz */
    if (i % 3 == 0) p[15] ^= 0x28; /* add (01) <-> sub (29) */
    uint32_t sum = 0;
    for (uint32_t c = 50; c; c--)
      if ((c & 1) == (p[13] == 0x74)) sum += p[15] == 0x01 ? c : -c;
    CHECK(jit_call(p) == sum);
    history = history * 31 + sum;
  }
  /* 100: call (or jmp) 120; add eax, 5; ret. 120: mov eax, 7; ret */
  byte *q = p + 100;
  JIT_EMIT(q, "\xe8\x0f\0\0\0\x83\xc0\x05\xc3");
  jit_constant(q + 20, 7);
  for (uint32_t i = 0; i < 1000; i++) {
    CHECK(jit_call(q) == (q[0] == 0xe8 ? 12 : 7));
    q[0] ^= 0x01; /* e8 <-> e9 */
  }
  printf("%08x\n", history);
  return 0;
}

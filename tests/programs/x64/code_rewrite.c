/* A function in writable and executable memory is rewritten and called 10,000 times. */
#include "emit.h"

int main(void) {
  byte *p = jit_map(JIT_PAGE);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 10000; i++) {
    jit_constant(p, i * 2654435761u);
    uint32_t got = jit_call(p);
    CHECK(got == i * 2654435761u);
    sum += got;
  }
  printf("sum %016lx\n", (unsigned long)sum);
  /* the same place, another length and another shape every time */
  for (uint32_t i = 0; i < 1000; i++) {
    byte *q = p;
    for (uint32_t k = 0; k < i % 13; k++) q = JIT_EMIT(q, "\x90");
    q = i & 1 ? JIT_EMIT(q, "\x31\xc0") : jit_u32(JIT_EMIT(q, "\xb8"), i); /* xor eax, eax | mov eax, i */
    for (uint32_t k = 0; k < i % 7; k++) q = JIT_EMIT(q, "\xff\xc0");      /* inc eax */
    JIT_EMIT(q, "\xc3");
    CHECK(jit_call(p) == (i & 1 ? 0 : i) + i % 7);
  }
  puts("shapes right");
  return 0;
}

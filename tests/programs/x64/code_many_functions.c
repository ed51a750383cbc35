/* 5,000 generated functions that call each other, all regenerated with other constants three times. */
#include "jit.h"

enum { COUNT = 5000, SLOT = 64 };

static byte *code;

/* add edi, k; call next (or the one after next); add eax, k; ret. The last returns edi. */
static void generate(uint32_t i, uint32_t k) {
  byte *p = code + i * SLOT;
  if (i >= COUNT - 2) {
    JIT_EMIT(p, "\x89\xf8\xc3");
    return;
  }
  p = jit_u32(JIT_EMIT(p, "\x81\xc7"), k);
  p = JIT_EMIT(p, "\xe8");
  p = jit_rel32(p, code + (i + 1 + i % 2) * SLOT);
  p = jit_u32(JIT_EMIT(p, "\x05"), k);
  JIT_EMIT(p, "\xc3");
}

static uint32_t expect(uint32_t i, uint32_t edi, uint32_t round) {
  uint32_t sum = 0;
  for (; i < COUNT - 2; i += 1 + i % 2) edi += i * 3 + round, sum += i * 3 + round;
  return sum + edi;
}

int main(void) {
  code = jit_map(COUNT * SLOT);
  for (uint32_t round = 1; round <= 3; round++) {
    for (uint32_t i = 0; i < COUNT; i++) generate(i, i * 3 + round);
    for (uint32_t i = 0; i < COUNT; i += 37) {
      uint32_t got = ((uint32_t(*)(uint32_t))(uintptr_t)(code + i * SLOT))(i);
      CHECK(got == expect(i, i, round));
    }
    printf("round %u: %u\n", round, ((uint32_t(*)(uint32_t))(uintptr_t)code)(1));
  }
  return 0;
}

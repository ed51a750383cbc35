/* 5,000 generated functions that call each other, all regenerated with other constants three times. */
#include "jit.h"

enum { COUNT = 5000, SLOT = 64 };

static byte *code;

#if defined(__x86_64__)
/* mov eax, edi; ret */
static byte *put_last(byte *p) {
  return jit_bytes(p, "\x89\xf8\xc3", 3);
}

/* add edi, k; call next; add eax, k; ret */
static byte *put(byte *p, uint32_t k, const byte *next) {
  p = jit_bytes(jit_u32(jit_bytes(p, "\x81\xc7", 2), k), "\xe8", 1);
  p = jit_u32(p, (uint32_t)(next - (p + 4)));
  return jit_bytes(jit_u32(jit_bytes(p, "\x05", 1), k), "\xc3", 1);
}
#else
/* ret */
static byte *put_last(byte *p) {
  return jit_u32(p, 0xd65f03c0);
}

/* str x30, [sp, -16]!; mov w1, k; add w0, w0, w1; bl next; mov w1, k; add w0, w0, w1; ldr x30, [sp], 16; ret */
static byte *put(byte *p, uint32_t k, const byte *next) {
  p = jit_u32(jit_u32(jit_u32(p, 0xf81f0ffe), 0x52800001 | k << 5), 0x0b010000);
  p = jit_u32(p, 0x94000000 | ((uint32_t)((next - p) / 4) & 0x3ffffff));
  p = jit_u32(jit_u32(p, 0x52800001 | k << 5), 0x0b010000);
  return jit_u32(jit_u32(p, 0xf84107fe), 0xd65f03c0);
}
#endif

/* Adds k to its argument, calls the next (or the one after next), adds k to the result. The last returns its argument. */
static void generate(uint32_t i, uint32_t k) {
  byte *p = code + i * SLOT;
  jit_announce(p, i >= COUNT - 2 ? put_last(p) : put(p, k, code + (i + 1 + i % 2) * SLOT));
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

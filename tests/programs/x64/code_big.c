/* A megabyte of straight generated code, run and regenerated, so that whole regions go stale at once. */
#include "emit.h"

enum { SIZE = 1 << 20 };

int main(void) {
  byte *code = jit_map(SIZE);
  for (uint32_t round = 1; round <= 5; round++) {
    byte *p = JIT_EMIT(code, "\x31\xc0"); /* xor eax, eax */
    uint32_t expected = 0, k = round;
    while (p < code + SIZE - 16) {
      k = k * 1664525 + 1013904223;
      switch (k >> 29) {
        case 0:
          p = jit_u32(JIT_EMIT(p, "\x35"), k), expected ^= k;
          break; /* xor eax, k */
        case 1:
          p = JIT_EMIT(p, "\xc1\xc0\x07"), expected = expected << 7 | expected >> 25;
          break;
        case 2:
          p = JIT_EMIT(p, "\x0f\xc8"), expected = __builtin_bswap32(expected);
          break;
        case 3:
          p = JIT_EMIT(p, "\xeb\x02\x0f\x0b");
          break; /* jmp over ud2 */
        default:
          p = jit_u32(JIT_EMIT(p, "\x05"), k), expected += k; /* add eax, k */
      }
    }
    JIT_EMIT(p, "\xc3");
    CHECK(jit_call(code) == expected && jit_call(code) == expected);
    printf("round %u: %08x\n", round, expected);
  }
  return 0;
}

/* An instruction across two pages, patched in either half, and with one page replaced. */
#include "jit.h"

int main(void) {
  byte *p = jit_map(2 * JIT_PAGE), *second = p + JIT_PAGE;
  for (int split = 1; split <= 4; split++) { /* how much of mov eax, imm32 lies on the first page */
    byte *f = second - split;
    jit_constant(f, 0);
    uint32_t sum = 0;
    for (uint32_t i = 1; i <= 300; i++) {
      byte *changed = f + 1 + i % 4; /* one byte of the immediate, on either side of the border */
      *changed = (byte)i;
      uint32_t expected;
      memcpy(&expected, f + 1, 4);
      CHECK(jit_call(f) == expected);
      sum += expected;
    }
    printf("split %d: %08x\n", split, sum);
    byte tail[16];
    memcpy(tail, second, sizeof tail);
    CHECK(mmap(second, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
               -1, 0) == second);
    tail[4 - split] ^= 0x55; /* the immediate's top byte, which is always on the second page */
    memcpy(second, tail, sizeof tail);
    uint32_t expected;
    memcpy(&expected, f + 1, 4);
    CHECK(jit_call(f) == expected);
  }
  return 0;
}

/* mremap moves code: it runs at its new address, and the old one faults or holds what came there. */
#include "jit.h"
#include "trap.h"

int main(void) {
  trap_install();
  byte *a = jit_map(2 * JIT_PAGE), *b = jit_map(2 * JIT_PAGE);
  for (uint32_t i = 0; i < 200; i++) {
    jit_constant(a, i);
    jit_constant(a + JIT_PAGE - JIT_ACROSS, i + 1);
    CHECK(jit_call(a) == i && jit_call(a + JIT_PAGE - JIT_ACROSS) == i + 1);
    CHECK(mremap(a, 2 * JIT_PAGE, 2 * JIT_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, b) == b);
    CHECK(jit_call(b) == i && jit_call(b + JIT_PAGE - JIT_ACROSS) == i + 1);
    CHECK(trap_run(a) == 1 && trap_seen.signo == SIGSEGV && trap_seen.pc == (uintptr_t)a);
    jit_constant(b, i + 50);
    CHECK(jit_call(b) == i + 50);
    byte *swap = a;
    a = b;
    b = swap;
  }
  CHECK(mremap(a, 2 * JIT_PAGE, JIT_PAGE, 0) == a); /* shrinks: the second page goes away */
  CHECK(jit_call(a) == 249);
  printf("after shrinking: %s", trap_run(a + JIT_PAGE - JIT_ACROSS) ? trap_name(trap_seen.signo) : "ran");
  printf(", pc %+ld, address %+ld\n", (long)(trap_seen.pc - (uintptr_t)a) - JIT_PAGE,
         (long)(trap_seen.address - (uintptr_t)a) - JIT_PAGE);
  return 0;
}

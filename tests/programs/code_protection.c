/* Taking execute permission away makes the next call fault at its first instruction; giving it back heals. */
#include "jit.h"
#include "trap.h"

static void show(const char *what, const byte *f) {
  int trapped = trap_run(f);
  printf("%s: %s", what, trapped ? trap_name(trap_seen.signo) : "runs");
  if (trapped)
    printf(", code %d, pc %+ld, address %+ld, error %lx", trap_seen.code, (long)(trap_seen.pc - (uintptr_t)f),
           (long)(trap_seen.address - (uintptr_t)f), trap_seen.error);
  puts("");
}

int main(void) {
  trap_install();
  byte *p = jit_map(2 * JIT_PAGE);
  jit_constant(p, 3);
  jit_constant(p + JIT_PAGE - JIT_ACROSS, 4); /* across the border */
  show("fresh", p);
  CHECK(mprotect(p, JIT_PAGE, PROT_READ | PROT_WRITE) == 0);
  show("no execute", p);
  CHECK(mprotect(p, JIT_PAGE, PROT_NONE) == 0);
  show("none", p);
  CHECK(mprotect(p, JIT_PAGE, PROT_READ | PROT_EXEC) == 0);
  show("back", p);
  show("across", p + JIT_PAGE - JIT_ACROSS);
  CHECK(mprotect(p + JIT_PAGE, JIT_PAGE, PROT_READ) == 0);
  show("second page without execute", p + JIT_PAGE - JIT_ACROSS);
  CHECK(munmap(p + JIT_PAGE, JIT_PAGE) == 0);
  show("second page unmapped", p + JIT_PAGE - JIT_ACROSS);
  CHECK(munmap(p, JIT_PAGE) == 0);
  show("first page unmapped", p);
  return 0;
}

/* Code written while its pages are RW and run while they are RX, the way careful compilers do it. */
#include "jit.h"

int main(void) {
  enum { PAGES = 4 };
  byte *p = mmap(NULL, PAGES * JIT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 2000; i++) {
    byte *place = p + (i * 739) % (PAGES * JIT_PAGE - JIT_CONSTANT_SIZE) / JIT_ALIGN *
                          JIT_ALIGN; /* sometimes across two pages */
    CHECK(mprotect(p, PAGES * JIT_PAGE, PROT_READ | PROT_WRITE) == 0);
    jit_constant(place, i ^ 0x5a5a5a5a);
    CHECK(mprotect(p, PAGES * JIT_PAGE, PROT_READ | PROT_EXEC) == 0);
    CHECK(jit_call(place) == (i ^ 0x5a5a5a5a));
    sum += jit_call(place);
  }
  for (uint32_t i = 0; i < 500; i++) { /* one page of four, the others stay executable */
    byte *page = p + i % PAGES * JIT_PAGE;
    CHECK(mprotect(page, JIT_PAGE, PROT_READ | PROT_WRITE) == 0);
    jit_constant(page + 64, i);
    CHECK(mprotect(page, JIT_PAGE, PROT_READ | PROT_EXEC) == 0);
    for (uint32_t k = 0; k < PAGES && k <= i; k++)
      CHECK(jit_call(p + (i - k) % PAGES * JIT_PAGE + 64) == i - k);
  }
  printf("sum %016lx\n", (unsigned long)sum);
  return 0;
}

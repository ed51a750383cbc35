/* Code is unmapped and other code mapped at the same address, by munmap, MAP_FIXED and a file. */
#include "jit.h"

static const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

int main(void) {
  byte *p = jit_map(4 * JIT_PAGE);
  for (uint32_t i = 0; i < 500; i++) { /* a hole, then something new in it */
    CHECK(munmap(p, JIT_PAGE) == 0);
    CHECK(mmap(p, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0) == p);
    CHECK(p[0] == 0);
    jit_constant(p, i);
    CHECK(jit_call(p) == i);
  }
  for (uint32_t i = 0; i < 500; i++) { /* straight over the old mapping */
    CHECK(mmap(p, 2 * JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0) == p);
    jit_constant(p + JIT_PAGE - JIT_ACROSS, i + 7);
    CHECK(jit_call(p + JIT_PAGE - JIT_ACROSS) == i + 7);
  }
  int fd = memfd_create("pages", 0);
  byte page[JIT_PAGE] = {0};
  for (uint32_t i = 0; i < 16; i++) {
    jit_constant(page + 32, 100 + i);
    CHECK(write(fd, page, sizeof page) == (ssize_t)sizeof page);
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 500; i++) { /* other pages of a file, never written through memory */
    uint32_t which = i * 5 % 16;
    CHECK(mmap(p, JIT_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, which * JIT_PAGE) == p);
    CHECK(jit_call(p + 32) == 100 + which);
    sum += jit_call(p + 32);
  }
  printf("sum %u\n", sum);
  return 0;
}

/* Code mapped shared from a file and changed by pwrite, write, ftruncate or another mapping of the file. */
#include "jit.h"

int main(void) {
  int fd = memfd_create("code", 0);
  byte f[JIT_CONSTANT_SIZE];
  CHECK(fd >= 0 && ftruncate(fd, 2 * JIT_PAGE) == 0);
  byte *p = mmap(NULL, 2 * JIT_PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  byte *q = mmap(NULL, 2 * JIT_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0); /* never written: follows */
  CHECK(p != MAP_FAILED && q != MAP_FAILED);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    off_t at = i % 4 * 1365 / JIT_ALIGN * JIT_ALIGN; /* the last lies across the two pages */
    jit_constant(f, i * 11);
    CHECK(pwrite(fd, f, sizeof f, at) == (ssize_t)sizeof f);
    CHECK(jit_call_new(p + at) == i * 11 && jit_call_new(q + at) == i * 11);
    sum += jit_call(p + at);
  }
  for (uint32_t i = 0; i < 200; i++) {
    jit_constant(f, i);
    CHECK(lseek(fd, 100, SEEK_SET) == 100 && write(fd, f, sizeof f) == (ssize_t)sizeof f);
    CHECK(jit_call_new(p + 100) == i);
  }
  CHECK(ftruncate(fd, 0) == 0 && ftruncate(fd, JIT_PAGE) == 0); /* all zero again */
  CHECK(p[100] == 0);
  jit_constant(f, 4711);
  CHECK(pwrite(fd, f, sizeof f, 100) == (ssize_t)sizeof f);
  printf("sum %lu, %u\n", (unsigned long)sum, jit_call_new(p + 100));
  return 0;
}

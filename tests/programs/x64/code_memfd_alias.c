/* One memory file mapped twice: written through the RW view, executed through the RX view. */
#include "jit.h"

int main(void) {
  int fd = memfd_create("code", 0);
  CHECK(fd >= 0 && ftruncate(fd, 2 * JIT_PAGE) == 0);
  byte *write_view = mmap(NULL, 2 * JIT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  byte *run_view = mmap(NULL, 2 * JIT_PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  CHECK(write_view != MAP_FAILED && run_view != MAP_FAILED && close(fd) == 0);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 1200; i++) {
    size_t at = i % 3 * 2045; /* within the first page, within the second, across both */
    jit_constant(write_view + at, i * 7);
    jit_serialize();
    CHECK(jit_call(run_view + at) == i * 7);
    sum += i * 7;
  }
  for (uint32_t i = 0; i < 300; i++) { /* only the immediate changes */
    jit_u32(write_view + 1, i);
    jit_serialize();
    CHECK(jit_call(run_view) == i);
  }
  CHECK(munmap(write_view, 2 * JIT_PAGE) == 0);
  printf("sum %lu, last %u\n", (unsigned long)sum, jit_call(run_view));
  return 0;
}

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
    static const size_t places[] = {2000, JIT_PAGE + 2000,
                                    JIT_PAGE - JIT_ACROSS}; /* the last across both pages */
    size_t at = places[i % 3];
    jit_constant(write_view + at, i * 7);
    jit_serialize();
    CHECK(jit_call_new(run_view + at) == i * 7);
    sum += i * 7;
  }
  jit_constant(write_view, 0);
  for (uint32_t i = 0; i < 300; i++) {
    jit_change(write_view, i);
    jit_serialize();
    CHECK(jit_call_new(run_view) == i);
  }
  CHECK(munmap(write_view, 2 * JIT_PAGE) == 0);
  printf("sum %lu, last %u\n", (unsigned long)sum, jit_call(run_view));
  return 0;
}

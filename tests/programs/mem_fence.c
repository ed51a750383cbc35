/* A program may fence off all of the address space that it does not use, as the sanitizers' run-times do. */
#include <stdio.h>
#include <sys/mman.h>

#include "check.h"

int main(void) {
  char *start = (char *)0x620000000000, *end = (char *)0x7b0000000000;
  size_t bytes = (size_t)(end - start);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  CHECK(mmap(start, bytes, PROT_NONE, flags, -1, 0) == start);
  int *page = mmap(start, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
  CHECK(page == (int *)start);
  *page = 42;
  int *last = mmap(end - 4096, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
  CHECK(last == (int *)(end - 4096));
  *last = 43;
  printf("fenced, %d %d\n", *page, *last);
  CHECK(munmap(start, bytes) == 0);
  printf("unfenced: %s\n", mmap(start, 4096, PROT_READ, flags, -1, 0) == start ? "free again" : "gone");
  return 0;
}

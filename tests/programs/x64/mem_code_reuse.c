/* Code put at an address, run, replaced and run again: by writing, by mapping over, by unmapping, by file
 * and by move. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { P = 4096, RWX = PROT_READ | PROT_WRITE | PROT_EXEC, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

/* mov $value, %eax; ret */
static void put(unsigned char *at, int value) {
  at[0] = 0xb8;
  memcpy(at + 1, &value, 4);
  at[5] = 0xc3;
}
static int call(unsigned char *at) {
  return ((int (*)(void))at)();
}

int main(void) {
  long sum = 0;
  unsigned char *page = mmap(NULL, P, RWX, ANON, -1, 0);
  CHECK(page != MAP_FAILED);
  for (int i = 0; i < 1000; i++) put(page + i % 7, i), sum += call(page + i % 7);
  say("written over: %ld\n", sum);
  for (int i = 0; i < 100; i++) {
    CHECK(mmap(page, P, PROT_READ | PROT_WRITE, ANON | MAP_FIXED, -1, 0) == page);
    put(page, i);
    CHECK(mprotect(page, P, PROT_READ | PROT_EXEC) == 0);
    sum += call(page);
  }
  say("mapped over: %ld\n", sum);
  for (int i = 0; i < 100; i++) {
    CHECK(munmap(page, P) == 0 && mmap(page, P, RWX, ANON | MAP_FIXED_NOREPLACE, -1, 0) == page);
    put(page + 16, -i);
    sum += call(page + 16);
  }
  say("unmapped between: %ld\n", sum);
  int file = memfd_create("code", 0);
  CHECK(file >= 0 && ftruncate(file, P) == 0);
  unsigned char *view = mmap(NULL, P, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  unsigned char *writer = mmap(NULL, P, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(view != MAP_FAILED && writer != MAP_FAILED);
  for (int i = 0; i < 100; i++) put(writer, i * 3), sum += call(view);
  say("written through another mapping: %ld\n", sum);
  unsigned char bytes[6];
  for (int i = 0; i < 100; i++) {
    put(bytes, i * 5);
    CHECK(pwrite(file, bytes, 6, 0) == 6);
    sum += call(view);
  }
  say("written to the file: %ld\n", sum);
  put(page, 4711);
  unsigned char *place = mmap(NULL, P, PROT_NONE, ANON, -1, 0);
  CHECK(mremap(page, P, P, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
  say("moved: %d\n", call(place));
  unsigned char *other = mmap(page, P, RWX, ANON | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(other == page);
  put(other, 815);
  say("at the old place: %d, at the new: %d\n", call(other), call(place));
  int ends[2];
  CHECK(pipe(ends) == 0);
  put(bytes, 1234);
  CHECK(write(ends[1], bytes, 6) == 6 && read(ends[0], place, 6) == 6);
  say("read in by the kernel: %d\n", call(place));
  return 0;
}

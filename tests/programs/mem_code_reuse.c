/* Code put at an address, run, replaced and run again: by writing, by mapping over, by unmapping, by file
 * and by move. */
#include "jit.h"
#include "sys_helpers.h"

enum { P = JIT_PAGE, RWX = PROT_READ | PROT_WRITE | PROT_EXEC, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

int main(void) {
  long sum = 0;
  byte *page = mmap(NULL, P, RWX, ANON, -1, 0);
  CHECK(page != MAP_FAILED);
  for (int i = 0; i < 1000; i++)
    jit_constant(page + i % 7 * JIT_ALIGN, (uint32_t)i), sum += jit_call(page + i % 7 * JIT_ALIGN);
  say("written over: %ld\n", sum);
  for (int i = 0; i < 100; i++) {
    CHECK(mmap(page, P, PROT_READ | PROT_WRITE, ANON | MAP_FIXED, -1, 0) == page);
    jit_constant(page, (uint32_t)i);
    CHECK(mprotect(page, P, PROT_READ | PROT_EXEC) == 0);
    sum += jit_call_new(page);
  }
  say("mapped over: %ld\n", sum);
  for (int i = 0; i < 100; i++) {
    CHECK(munmap(page, P) == 0 && mmap(page, P, RWX, ANON | MAP_FIXED_NOREPLACE, -1, 0) == page);
    jit_constant(page + 16, (uint32_t)-i);
    sum += (int)jit_call_new(page + 16);
  }
  say("unmapped between: %ld\n", sum);
  int file = memfd_create("code", 0);
  CHECK(file >= 0 && ftruncate(file, P) == 0);
  byte *view = mmap(NULL, P, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  byte *writer = mmap(NULL, P, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(view != MAP_FAILED && writer != MAP_FAILED);
  for (int i = 0; i < 100; i++) jit_constant(writer, (uint32_t)i * 3), sum += jit_call_new(view);
  say("written through another mapping: %ld\n", sum);
  byte bytes[JIT_CONSTANT_SIZE];
  for (int i = 0; i < 100; i++) {
    jit_constant(bytes, (uint32_t)i * 5);
    CHECK(pwrite(file, bytes, sizeof bytes, 0) == sizeof bytes);
    sum += jit_call_new(view);
  }
  say("written to the file: %ld\n", sum);
  jit_constant(page, 4711);
  byte *place = mmap(NULL, P, PROT_NONE, ANON, -1, 0);
  CHECK(mremap(page, P, P, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
  say("moved: %d\n", jit_call_new(place));
  byte *other = mmap(page, P, RWX, ANON | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(other == page);
  jit_constant(other, 815);
  say("at the old place: %d, at the new: %d\n", jit_call_new(other), jit_call_new(place));
  int ends[2];
  CHECK(pipe(ends) == 0);
  jit_constant(bytes, 1234);
  CHECK(write(ends[1], bytes, sizeof bytes) == sizeof bytes &&
        read(ends[0], place, sizeof bytes) == sizeof bytes);
  say("read in by the kernel: %d\n", jit_call_new(place));
  return 0;
}

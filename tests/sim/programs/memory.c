/* memory.c: mappings: placed, protected, moved, given back; the heap grows and shrinks; large arrays are paged in on demand. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

int main(void) {
  enum { PAGE = 4096 };
  char *a = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(a != MAP_FAILED && !((uintptr_t)a % PAGE));
  for (int i = 0; i < 16; i++) a[i * PAGE] = (char)i;
  CHECK(!munmap(a + 4 * PAGE, 2 * PAGE));
  char *b =
      mmap(a + 4 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(b == a + 4 * PAGE && b[0] == 0 && a[6 * PAGE] == 6 && a[3 * PAGE] == 3);
  CHECK(!mprotect(a, 2 * PAGE, PROT_READ) && a[PAGE] == 1);
  CHECK(mprotect((char *)0x10000000000, PAGE, PROT_READ) == -1);
  char *c = mremap(a + 8 * PAGE, 8 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
  CHECK(c != MAP_FAILED && c[0] == 8 && c[7 * PAGE] == 15 && c[63 * PAGE] == 0);
  CHECK(!madvise(c, PAGE, MADV_DONTNEED) && c[0] == 0 && c[PAGE] == 9);
  char *before = sbrk(0);
  CHECK(sbrk(100 * PAGE) == before);
  memset(before, 1, 100 * PAGE);
  CHECK(sbrk(-50 * PAGE) == before + 100 * PAGE);
  size_t large = 64 << 20;
  char *d = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < large; i += 1 << 20) d[i] = (char)(i >> 20);
  long sum = 0;
  for (size_t i = 0; i < large; i += 1 << 18) sum += d[i];
  printf("%ld\n", sum);
  CHECK(mmap(NULL, 1ull << 62, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  puts("good");
  return 0;
}

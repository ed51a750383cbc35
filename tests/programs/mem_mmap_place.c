/* mmap places: hints, MAP_FIXED over mappings, MAP_FIXED_NOREPLACE, low addresses, 32-bit, and bad
 * arguments. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { P = 4096, RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

static const char *name(void *p) {
  return p == MAP_FAILED ? strerrorname_np(errno) : "ok";
}

/* The end of what a program may map. */
#if defined(__x86_64__)
static const unsigned long TOP = 1UL << 47;
#else
static const unsigned long TOP = 1UL << 48;
#endif

int main(void) {
  char *base = mmap(NULL, 16 * P, RW, ANON, -1, 0);
  CHECK(base != MAP_FAILED && (long)base % P == 0);
  memset(base, 'a', 16 * P);
  CHECK(munmap(base + 4 * P, 4 * P) == 0);
  say("hint into a hole taken %d\n", mmap(base + 5 * P, P, RW, ANON, -1, 0) == base + 5 * P);
  char *other = mmap(base, P, RW, ANON, -1, 0);
  say("hint onto a mapping goes elsewhere %d\n", other != MAP_FAILED && other != base);
  other = mmap(base + 6 * P + 100, P, RW, ANON, -1, 0);
  say("uneven hint rounded %d\n", other == base + 6 * P);
  say("fixed uneven: %s\n", name(mmap(base + 100, P, RW, ANON | MAP_FIXED, -1, 0)));
  CHECK(mmap(base + 2 * P, P, RW, ANON | MAP_FIXED, -1, 0) == base + 2 * P);
  say("fixed replaces: %d %d %d\n", base[2 * P - 1], base[2 * P], base[3 * P]);
  say("noreplace on a mapping: %s\n", name(mmap(base + P, P, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0)));
  say("noreplace over the edge: %s\n",
      name(mmap(base + 3 * P, 2 * P, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0)));
  say("noreplace in a hole: %s\n", name(mmap(base + 4 * P, P, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0)));
  say("length 0: %s\n", name(mmap(NULL, 0, RW, ANON, -1, 0)));
  say("huge length: %s\n", name(mmap(NULL, TOP, RW, ANON | MAP_NORESERVE, -1, 0)));
  say("no kind: %s\n", name(mmap(NULL, P, RW, MAP_ANONYMOUS, -1, 0)));
  say("uneven offset: %s\n", name(mmap(NULL, P, PROT_READ, MAP_PRIVATE, scratch_file(), 100)));
  say("bad descriptor: %s\n", name(mmap(NULL, P, PROT_READ, MAP_PRIVATE, 999, 0)));
  say("page zero taken for a hint elsewhere %d\n", mmap((void *)P, P, RW, ANON, -1, 0) != MAP_FAILED);
  char *low = mmap((void *)0x10000, P, RW, ANON | MAP_FIXED, -1, 0);
  say("low fixed %d\n", low == (void *)0x10000);
#ifdef MAP_32BIT
  low = mmap(NULL, P, RW, ANON | MAP_32BIT, -1, 0);
  say("MAP_32BIT below 2 GiB %d\n", low != MAP_FAILED && (unsigned long)low < 1UL << 31);
#endif
  say("beyond user space: %s\n", name(mmap((void *)TOP, P, RW, ANON | MAP_FIXED, -1, 0)));
  say("beyond the top: %s\n", name(mmap((void *)-8192L, P, RW, ANON | MAP_FIXED, -1, 0)));
  char *reserve = mmap(NULL, 1UL << 40, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);
  CHECK(reserve != MAP_FAILED && mprotect(reserve + (1UL << 39), P, RW) == 0);
  reserve[1UL << 39] = 'r';
  say("a page in a reserved terabyte %c\n", reserve[1UL << 39]);
  char *first = mmap(NULL, P, RW, ANON, -1, 0), *second = mmap(NULL, P, RW, ANON, -1, 0);
  CHECK(munmap(first, P) == 0 && munmap(second, P) == 0);
  char *again = mmap(NULL, P, RW, ANON, -1, 0);
  say("a freed place is taken again %d\n", again == first || again == second);
  return 0;
}

/* mremap: shrink, grow in place, move, to a fixed place, leave the old behind, duplicate shared, and its
 * errors. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { P = 4096, RW = PROT_READ | PROT_WRITE };

static const char *name(void *p) {
  return p == MAP_FAILED ? strerrorname_np(errno) : "ok";
}
static int mapped(void *p) {
  return mincore(p, P, (unsigned char[1]){0}) == 0;
}

int main(void) {
  char *base = mmap(NULL, 32 * P, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(base != MAP_FAILED && munmap(base + 4 * P, 28 * P) == 0);
  for (int i = 0; i < 4; i++) base[i * P] = 'a' + i;
  CHECK(mremap(base, 4 * P, 2 * P, 0) == base);
  say("shrunk: %d %d\n", mapped(base + P), mapped(base + 2 * P));
  CHECK(mremap(base, 2 * P, 8 * P, 0) == base);
  say("grown in place: %c %d\n", base[P], base[2 * P]);
  char *wall = mmap(base + 8 * P, P, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(wall == base + 8 * P);
  say("against a wall: %s\n", name(mremap(base, 8 * P, 9 * P, 0)));
  char *moved = mremap(base, 8 * P, 16 * P, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && moved != base);
  say("moved: %c%c old gone %d\n", moved[0], moved[P], !mapped(base));
  char *place = mmap(NULL, 16 * P, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *fixed = mremap(moved, 16 * P, 16 * P, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  say("to a fixed place: %d %c%c\n", fixed == place, fixed[0], fixed[P]);
  char *left = mremap(fixed, 4 * P, 4 * P, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
  CHECK(left != MAP_FAILED);
  say("old left behind and empty: %c%c %d\n", left[0], left[P], fixed[0]);
  char *middle = mremap(left + P, P, 3 * P, MREMAP_MAYMOVE);
  CHECK(middle != MAP_FAILED);
  say("one page out of the middle: %c, hole %d, neighbours %d %d\n", middle[0], !mapped(left + P),
      mapped(left), mapped(left + 2 * P));
  say("of nothing: %s\n", name(mremap(left + P, P, 2 * P, MREMAP_MAYMOVE)));
  char *shared = mmap(NULL, P, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char *twin = mremap(shared, 0, P, MREMAP_MAYMOVE);
  CHECK(twin != MAP_FAILED);
  twin[5] = 'T';
  say("a twin of a shared page: %c\n", shared[5]);
  say("uneven: %s\n", name(mremap(left + 1, P, 2 * P, MREMAP_MAYMOVE)));
  say("to length 0: %s\n", name(mremap(left, P, 0, MREMAP_MAYMOVE)));
  say("fixed without maymove: %s\n", name(mremap(left, P, P, MREMAP_FIXED, place)));
  say("overlapping: %s\n", name(mremap(middle, 2 * P, 2 * P, MREMAP_MAYMOVE | MREMAP_FIXED, middle + P)));
  return 0;
}

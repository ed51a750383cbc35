/* madvise: DONTNEED empties, DONTFORK and WIPEONFORK act at fork, POPULATE and COLD are accepted; errors; what is locked stays. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { P = 4096, RW = PROT_READ | PROT_WRITE };

int main(void) {
  int file = scratch_file();
  CHECK(ftruncate(file, P) == 0 && pwrite(file, "file", 4, 0) == 4);
  char *base = mmap(NULL, 8 * P, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *mapped = mmap(NULL, P, RW, MAP_PRIVATE, file, 0);
  CHECK(base != MAP_FAILED && mapped != MAP_FAILED);
  memset(base, 'x', 8 * P);
  strcpy(mapped, "changed");
  CHECK(madvise(base + P, 2 * P, MADV_DONTNEED) == 0 && madvise(mapped, P, MADV_DONTNEED) == 0);
  say("dropped: %d %d %d %d, file back: %s\n", base[0], base[P], base[3 * P - 1], base[3 * P], mapped);
  CHECK(madvise(base + 4 * P, P, MADV_DONTFORK) == 0 && madvise(base + 5 * P, P, MADV_WIPEONFORK) == 0);
  pid_t child = fork();
  if (child == 0) {
    unsigned char vector;
    say("child: wiped %d kept %d ", base[5 * P], base[6 * P]);
    say("not there: %s\n", outcome(mincore(base + 4 * P, P, &vector)));
    no_core();
    _exit(base[4 * P]);
  }
  say_status("child touching it", reap(child));
  say("parent: %d %d\n", base[4 * P], base[5 * P]);
  CHECK(madvise(base + 5 * P, P, MADV_KEEPONFORK) == 0);
  say("populate: %s\n", outcome(madvise(base, 8 * P, MADV_POPULATE_WRITE)));
  say("cold: %s, sequential: %s, willneed: %s\n", outcome(madvise(base, P, MADV_COLD)),
      outcome(madvise(base, P, MADV_SEQUENTIAL)), outcome(madvise(mapped, P, MADV_WILLNEED)));
  say("free keeps what is written after: ");
  CHECK(madvise(base, P, MADV_FREE) == 0);
  base[0] = 'f';
  say("%c\n", base[0]);
  CHECK(mlock(base + 6 * P, P) == 0);
  say("locked: %s, ", outcome(madvise(base + 6 * P, P, MADV_DONTNEED)));
  say("still %c\n", base[6 * P]);
  CHECK(munmap(base + P, P) == 0);
  say("hole: %s\n", outcome(madvise(base, 3 * P, MADV_DONTNEED)));
  say("uneven: %s\n", outcome(madvise(base + 1, P, MADV_DONTNEED)));
  say("unknown: %s\n", outcome(madvise(base, P, 12345)));
  return 0;
}

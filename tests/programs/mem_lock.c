/* mlock, mlockall, mlock2, munlock: accepted, residency visible by mincore, limits and errors; not
 * inherited by fork. */
#include "mem_resident.h"

int main(void) {
  char *base = mmap(NULL, 16 * P, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(base != MAP_FAILED);
  say("fresh: resident %d\n", resident(base, 16));
  long before = locked_kb();
  CHECK(mlock(base + 100, 4 * P) == 0); /* touches five pages */
  say("locked: resident %d, more locked %ld kB\n", resident(base, 16), locked_kb() - before);
  pid_t child = fork();
  if (child == 0) _exit((int)locked_kb());
  say_status("child holds", reap(child));
  CHECK(munlock(base, 16 * P) == 0);
  say("unlocked: %ld kB\n", locked_kb() - before);
  CHECK(mlock2(base + 8 * P, 4 * P, MLOCK_ONFAULT) == 0);
  say("on fault: resident %d\n", resident(base + 8 * P, 4));
  base[9 * P] = 1;
  say("one touched: resident %d\n", resident(base + 8 * P, 4));
  CHECK(munmap(base + 10 * P, P) == 0);
  say("over a hole: %s\n", outcome(mlock(base + 8 * P, 8 * P)));
  say("bad flags: %s, %s\n", outcome(mlock2(base, P, 77)), outcome(mlockall(0)));
  return 0;
}

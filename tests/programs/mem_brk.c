/* brk: grows and shrinks by any amount, new pages are zero, shrinking drops contents, failures leave it
 * alone. */
#include "sys_helpers.h"
#include <sys/mman.h>
#include <sys/syscall.h>

static char *raw_brk(char *to) {
  return (char *)syscall(SYS_brk, to);
}

int main(void) {
  char *start = raw_brk(NULL);
  say("sbrk agrees %d\n", sbrk(0) == start);
  say("query by an absurd address %d\n", raw_brk((char *)1) == start);
  char *low = (char *)(((long)start + 4095) & -4096L);
  CHECK(raw_brk(low + 3 * 4096 + 5) == low + 3 * 4096 + 5);
  int zero = 1;
  for (char *p = start; p < low + 4 * 4096; p++) zero &= *p == 0;
  say("new memory is zero %d\n", zero);
  memset(low, 'x', 4 * 4096);
  CHECK(raw_brk(low + 10) == low + 10);
  say("kept below %c", low[4095]);
  say(", shrunk page gone: %s\n", outcome(write(scratch_file(), low + 4096, 1)));
  CHECK(raw_brk(low + 2 * 4096) == low + 2 * 4096);
  say("grown again: old page %c new page %d\n", low[4000], low[4096]);
  CHECK(raw_brk(low + (64L << 20)) == low + (64L << 20));
  low[(64L << 20) - 1] = 7;
  say("64 MiB more: far end %d\n", low[(64L << 20) - 1]);
  char *now = raw_brk(NULL);
  say("absurd growth refused %d\n", raw_brk((char *)0x7ffffffff000) == now);
  errno = 0;
  say("sbrk: %d", sbrk(1L << 46) == (void *)-1);
  say(" %s\n", strerrorname_np(errno));
  char *wall = mmap(now + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(wall == now + 4096);
  say("not through a mapping %d\n", raw_brk(now + 3 * 4096) == now);
  CHECK(munmap(wall, 4096) == 0);
  struct rlimit limit = {1 << 20, RLIM_INFINITY};
  CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
  say("not beyond RLIMIT_DATA %d\n", raw_brk(now + (8 << 20)) == now);
  CHECK(raw_brk(start) == start);
  pid_t child = fork();
  if (child == 0) _exit(raw_brk(NULL) == start && raw_brk(start + 8192) == start + 8192 ? 3 : 4);
  say_status("child has its own", reap(child));
  say("ours unmoved %d\n", raw_brk(NULL) == start);
  return 0;
}

/* munmap and mprotect cut mappings: the parts keep contents and rights; nothing mapped is fine; bad ranges
 * are not. */
#include "sys_helpers.h"
#include <setjmp.h>
#include <sys/mman.h>

enum { P = 4096 };
static sigjmp_buf back;
static char *base;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)context;
  siglongjmp(back, sig * 10 + info->si_code);
}

/* One letter per page: - unmapped, n no access, r readable, w writable. */
static void map_of(const char *when, int pages) {
  char letters[64];
  for (volatile int i = 0; i < pages; i++) {
    volatile char *p = base + i * P;
    int why = sigsetjmp(back, 1);
    if (why == 0) {
      letters[i] = 'n';
      char value = *p;
      letters[i] = 'r';
      *p = value;
      letters[i] = 'w';
    } else if (why == SIGSEGV * 10 + SEGV_MAPERR) {
      letters[i] = '-';
    }
  }
  say("%s: %.*s\n", when, pages, letters);
}

int main(void) {
  base = mmap(NULL, 12 * P, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(base != MAP_FAILED);
  handle(SIGSEGV, on_fault, 0);
  for (int i = 0; i < 12; i++) base[i * P + 1] = 'a' + i;
  map_of("whole", 12);
  CHECK(munmap(base + 3 * P, 2 * P) == 0);
  map_of("hole", 12);
  CHECK(mprotect(base + 6 * P, 3 * P, PROT_READ) == 0);
  map_of("read-only part", 12);
  CHECK(mprotect(base + 7 * P, P, PROT_NONE) == 0);
  map_of("none within", 12);
  say("protecting over a hole: %s\n", outcome(mprotect(base + P, 4 * P, PROT_READ)));
  map_of("up to the hole", 12);
  CHECK(mprotect(base, 3 * P, PROT_READ | PROT_WRITE) == 0 && mprotect(base + 5 * P, 7 * P, PROT_WRITE) == 0);
  map_of("writable again", 12);
  for (int i = 0; i < 12; i++)
    if (i != 3 && i != 4) say("%c", base[i * P + 1]);
  say("\nunmapping over holes: %s\n", outcome(munmap(base + 2 * P, 5 * P)));
  map_of("more gone", 12);
  say("unmapping nothing: %s\n", outcome(munmap(base + 3 * P, P)));
  say("uneven: %s, length 0: %s\n", outcome(munmap(base + 1, P)), outcome(munmap(base, 0)));
  say("uneven protect: %s\n", outcome(mprotect(base + 1, P, PROT_READ)));
  say("bad protection: %s\n", outcome(mprotect(base, P, 0x1000000)));
  CHECK(munmap(base, 12 * P) == 0);
  map_of("all gone", 12);
  return 0;
}

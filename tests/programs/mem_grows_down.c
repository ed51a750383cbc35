/* A MAP_GROWSDOWN mapping grows when touched below, keeps its guard gap, and stops at another mapping. */
#include "sys_helpers.h"
#include <setjmp.h>
#include <sys/mman.h>

enum { P = 4096, RW = PROT_READ | PROT_WRITE };
static sigjmp_buf back;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)context;
  siglongjmp(back, sig * 10 + info->si_code);
}

static void touch(const char *what, char *p) {
  int why = sigsetjmp(back, 1);
  if (why == 0) {
    *(volatile char *)p = 1;
    say("%s: grew\n", what);
  } else {
    say("%s: fault %d\n", what, why);
  }
}

int main(void) {
  handle(SIGSEGV, on_fault, 0);
  char *area = mmap(NULL, 1024 * P, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(area != MAP_FAILED && munmap(area, 1024 * P) == 0);
  char *stack =
      mmap(area + 1000 * P, 4 * P, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1, 0);
  CHECK(stack == area + 1000 * P);
  touch("inside", stack + P);
  touch("one page below", stack - P);
  touch("ten pages below", stack - 10 * P);
  touch("in between", stack - 5 * P);
  char *wall = mmap(area + 700 * P, P, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(wall == area + 700 * P);
  touch("300 pages below, too near the wall", area + 702 * P);
  touch("above it", stack + 4 * P);
  return 0;
}

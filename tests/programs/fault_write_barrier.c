/* A write barrier by page protection over rounds: each round's first write to a page faults once, reads
 * never do. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { PAGES = 64, P = 4096, ROUNDS = 20 };
static char *heap;
static unsigned char dirty[PAGES];
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig;
  long page = ((char *)info->si_addr - heap) / P;
  CHECK(page >= 0 && page < PAGES && info->si_code == SEGV_ACCERR && fault_was_write(context));
  CHECK(!dirty[page]);
  dirty[page] = 1;
  faults++;
  CHECK(mprotect(heap + page * P, P, PROT_READ | PROT_WRITE) == 0);
}

int main(void) {
  heap = mmap(NULL, PAGES * P, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(heap != MAP_FAILED);
  handle(SIGSEGV, on_fault, 0);
  unsigned state = 7;
  for (int round = 0; round < ROUNDS; round++) {
    CHECK(mprotect(heap, PAGES * P, PROT_READ) == 0);
    memset(dirty, 0, sizeof dirty);
    faults = 0;
    long sum = 0;
    for (int i = 0; i < 200; i++) {
      state = state * 1103515245 + 12345;
      long place = (state >> 8) % (PAGES * P - 64);
      sum += heap[place];
      if (i % 3 == 0) heap[place] += round;
      if (i % 17 == 0) memset(heap + place, round, 64); /* may cross a page */
    }
    int count = 0;
    for (int i = 0; i < PAGES; i++) count += dirty[i];
    say("round %d: dirty %d faults %d sum %ld\n", round, count, faults, sum);
  }
  return 0;
}

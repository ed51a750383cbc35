/* A handler that makes the touched page accessible and returns: 1,000 pages mapped one by one on demand. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { PAGES = 1000, SIZE = 4096 };
static char *area;
static volatile int faults, reads, writes;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig;
  char *page = area + ((char *)info->si_addr - area) / SIZE * SIZE;
  CHECK(page >= area && page < area + PAGES * SIZE && info->si_code == SEGV_ACCERR);
  fault_was_write(context) == 1 ? writes++ : reads++;
  CHECK(mprotect(page, SIZE, PROT_READ | PROT_WRITE) == 0);
  page[7] = faults++;
}

int main(void) {
  area = mmap(NULL, PAGES * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(area != MAP_FAILED);
  handle(SIGSEGV, on_fault, 0);
  unsigned long sum = 0;
  for (int i = 0; i < PAGES; i++) {
    volatile char *page = area + (i * 37 % PAGES) * SIZE;
    if (i % 3 == 0) page[100] = i;
    sum += page[7] + page[100];
  }
  say("faults %d reads %d writes %d sum %lu\n", faults, reads, writes, sum);
  for (int i = 0; i < PAGES; i++) sum = sum * 31 + area[i * SIZE + 7];
  say("again: faults %d sum %lu\n", faults, sum);
  return 0;
}

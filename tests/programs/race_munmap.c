/* A race with mappings: one thread unmaps, maps anew and protects pages while the others read and write them and count their
 * faults. */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "race.h"

enum { PAGES = 4, PAGE_BYTES = 4096 };
static volatile uint32_t *area;
static __thread sigjmp_buf back;

static void on_fault(int sig) {
  siglongjmp(back, sig);
}

static void change(unsigned i) {
  void *page = (uint8_t *)area + i % PAGES * PAGE_BYTES;
  if (i % 3 == 0) {
    CHECK(!munmap(page, PAGE_BYTES));
  } else if (i % 3 == 1) {
    CHECK(!mprotect((void *)area, PAGES * PAGE_BYTES, PROT_READ) || errno == ENOMEM);
  } else {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    CHECK(mmap((void *)area, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0) == area);
  }
}

static void use(unsigned me, unsigned i) {
  volatile uint32_t *word = area + race_mix(i, me) % (PAGES * PAGE_BYTES / 4);
  uint32_t fault = (uint32_t)sigsetjmp(back, 1);
  if (!fault) {
    race_note(me, *word);
    *word = i;
  }
  race_note(me, fault);
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    if (me == 0)
      change(i);
    else
      use(me, i);
  }
}

int main(int argc, char **argv) {
  signal(SIGSEGV, on_fault);
  area = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(area != MAP_FAILED);
  return race_run(argc, argv, 600, run, NULL);
}

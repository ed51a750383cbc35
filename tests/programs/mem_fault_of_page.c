/* What a fault tells of the page depends on what the kernel has brought in. The program keeps it, and does not print it. */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "check.h"

enum { FAULTS = 400, WORK = 20000 };

static char *page;
static volatile long work;
static unsigned long codes[FAULTS];
static volatile int count;

static void on_fault(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  (void)sig;
  CHECK((char *)info->si_addr == page && info->si_code == SEGV_ACCERR);
#ifdef __x86_64__
  codes[count] = (unsigned long)uc->uc_mcontext.gregs[REG_ERR];
#else
  /* The record behind the one of vectors. */
  memcpy(&codes[count], (char *)uc->uc_mcontext.__reserved + 528 + 8, sizeof codes[count]);
#endif
  CHECK(!mprotect(page, 4096, PROT_READ | PROT_WRITE));
}

/* Read pages of files, which a fork leaves to be brought in again, and untouched ones. */
static void fault(bool is_file, int fd) {
  int flags = MAP_PRIVATE | (is_file ? 0 : MAP_ANONYMOUS);
  page = mmap(NULL, 4096, PROT_READ, flags, is_file ? fd : -1, 0);
  CHECK(page != MAP_FAILED);
  if (is_file) CHECK(*(volatile char *)page == 'x');
  for (long i = 0; i < WORK; i++)
    if (work++ % 1000 == 0) sched_yield();
  *(volatile char *)page = 'y';
  CHECK(*page == 'y' && !munmap(page, 4096));
  count++;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  char name[] = "page-XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0 && write(fd, "x", 1) == 1 && !unlink(name) && !sigaction(SIGSEGV, &action, NULL));
  for (int i = 0; i < FAULTS; i++) fault(i & 1, fd);
  unsigned long writes = 0;
#ifdef __x86_64__
  for (int i = 0; i < FAULTS; i++) writes += (codes[i] & ~1ul) == 6;
#else
  for (int i = 0; i < FAULTS; i++) writes += (codes[i] & 64) != 0;
#endif
  printf("%d faults, %lu of writes\n", count, writes);
  return 0;
}

/* An instruction that runs into a missing page faults at its own pc with the next page's address, and
 * resumes there. */
#include "sys_helpers.h"
#include <sys/mman.h>

static unsigned char *area;
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context) {
  faults++;
  say("  SIG%s code %d error %llx address +%ld pc +%ld\n", sigabbrev_np(sig), info->si_code,
      REG(context, REG_ERR), (long)((unsigned char *)info->si_addr - area),
      (long)(REG(context, REG_RIP) - (long)area));
  CHECK(mprotect(area + 4096, 4096, PROT_READ | PROT_EXEC) == 0);
}

int main(void) {
  static const unsigned char code[] = {0x48, 0xb8, 1,    2,   3,
                                       4,    5,    6,    7,   8, /* mov $0x0807060504030201, %rax */
                                       0x48, 0x01, 0xf8, 0xc3};  /* add %rdi, %rax; ret */
  handle(SIGSEGV, on_fault, 0);
  for (int split = 0; split <= (int)sizeof code; split++) {
    area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(area != MAP_FAILED);
    memcpy(area + 4096 - split, code, sizeof code);
    CHECK(mprotect(area, 4096, PROT_READ | PROT_EXEC) == 0 && mprotect(area + 4096, 4096, PROT_NONE) == 0);
    say("split at %d\n", split);
    long result = ((long (*)(long))(area + 4096 - split))(split);
    say("  result %lx faults %d\n", result, faults);
  }
  return 0;
}

/* siglongjmp out of a SIGSEGV handler 20,000 times, with and without saving the mask. */
#include "sys_helpers.h"
#include <setjmp.h>

static sigjmp_buf back;
static volatile long faults;
static int *volatile bad_pointer = (int *)0x18;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  CHECK(info->si_code == SEGV_MAPERR && info->si_addr == (void *)0x18);
  faults++;
  siglongjmp(back, 5);
}

static void jump_many(int save_mask) {
  for (volatile int i = 0; i < 10000; i++) {
    int value = sigsetjmp(back, save_mask);
    if (value == 0) *bad_pointer = i;
    CHECK(value == 5);
    if (!save_mask) mask_one(SIG_UNBLOCK, SIGSEGV);
  }
}

int main(void) {
  handle(SIGSEGV, on_fault, 0);
  jump_many(1);
  say("with the mask saved: %ld faults, blocked %d\n", faults, is_blocked(SIGSEGV));
  faults = 0;
  jump_many(0);
  say("unblocking by hand: %ld faults, blocked %d\n", faults, is_blocked(SIGSEGV));
  return 0;
}

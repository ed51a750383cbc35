/* Endless recursion: the handler runs on the alternate stack, sees an address next to the stack pointer, and jumps out; 5
 * times. */
#include "sys_helpers.h"
#include <setjmp.h>

static sigjmp_buf back;
static char alternate[65536];
static volatile int never = 1 << 30; /* deeper than any stack, and unknown to the compiler */

static void on_overflow(int sig, siginfo_t *info, void *context) {
  char here;
  long gap = (long)info->si_addr - (long)stack_of(context);
  CHECK(&here >= alternate && &here < alternate + sizeof alternate);
  CHECK(gap > -8192 && gap < 8192);
  siglongjmp(back, sig);
}

__attribute__((noinline)) static int deeper(int n) {
  volatile char room[512];
  room[n & 511] = n;
  return n < never ? deeper(n + 1) + room[n & 511] : -1;
}

int main(void) {
  struct rlimit small = {1 << 20, RLIM_INFINITY};
  CHECK(setrlimit(RLIMIT_STACK, &small) == 0);
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  CHECK(sigaltstack(&stack, NULL) == 0);
  handle(SIGSEGV, on_overflow, SA_ONSTACK);
  for (volatile int i = 0; i < 5; i++) {
    int sig = sigsetjmp(back, 1);
    if (sig == 0) CHECK(deeper(i) == -1);
    stack_t now;
    CHECK(sigaltstack(NULL, &now) == 0);
    say("overflow %d: SIG%s, left the alternate stack %d\n", i, sigabbrev_np(sig), now.ss_flags == 0);
  }
  return 0;
}

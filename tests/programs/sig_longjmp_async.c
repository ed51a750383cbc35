/* siglongjmp out of a timer's handler that hit a computation, 100 times; longjmp leaves the signal
 * blocked. */
#include "sys_helpers.h"
#include <setjmp.h>

static sigjmp_buf back;
static volatile int armed;

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  if (armed) siglongjmp(back, 3);
}

int main(void) {
  volatile int jumps = 0;
  volatile double x = 1;
  handle(SIGALRM, on_tick, 0);
  tick_every(1000);
  while (jumps < 100) {
    int value = sigsetjmp(back, 1);
    if (value == 0) {
      armed = 1;
      for (;;) x = x * 1.0000001 + 0.5;
    }
    armed = 0;
    CHECK(value == 3 && !is_blocked(SIGALRM));
    jumps++;
  }
  tick_every(0);
  say("jumps with the mask %d\n", jumps);
  int value = sigsetjmp(back, 0);
  if (value == 0) {
    armed = 1;
    tick_every(1000);
    for (;;) x = x * 1.0000001 + 0.5;
  }
  tick_every(0);
  say("without the mask: value %d blocked %d\n", value, is_blocked(SIGALRM));
  return 0;
}

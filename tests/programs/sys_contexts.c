/* getcontext, makecontext, swapcontext, setcontext: coroutines with arguments, masks per context, deep
 * switching. */
#include "sys_helpers.h"

static ucontext_t main_context, workers[3];
static char stacks[3][65536];
static int order[3000], steps;

static void work(int number, int limit) {
  volatile double x = 1;
  for (int i = 0; i < limit; i++) {
    x = x * 1.01 + number;
    order[steps++] = number;
    CHECK(swapcontext(&workers[number], &workers[(number + 1) % 3]) == 0);
  }
  say("worker %d ends with %.6f\n", number, x);
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    CHECK(getcontext(&workers[i]) == 0);
    workers[i].uc_stack = (stack_t){.ss_sp = stacks[i], .ss_size = sizeof stacks[i]};
    workers[i].uc_link = i == 2 ? &main_context : &workers[i + 1];
    sigemptyset(&workers[i].uc_sigmask);
    if (i == 1) sigaddset(&workers[i].uc_sigmask, SIGUSR1);
    makecontext(&workers[i], (void (*)(void))work, 2, i, 300);
  }
  CHECK(swapcontext(&main_context, &workers[0]) == 0);
  int wrong = 0;
  for (int i = 0; i < steps; i++) wrong += order[i] != i % 3;
  say("steps %d wrong %d blocked %d\n", steps, wrong, is_blocked(SIGUSR1));
  volatile int rounds = 0;
  ucontext_t here;
  CHECK(getcontext(&here) == 0);
  if (rounds++ < 1000) setcontext(&here);
  say("rounds %d\n", rounds);
  volatile int blocked_before = is_blocked(SIGUSR2);
  CHECK(getcontext(&here) == 0);
  if (!is_blocked(SIGUSR2) && rounds < 2000) {
    rounds = 5000;
    mask_one(SIG_BLOCK, SIGUSR2);
    setcontext(&here); /* brings the mask back */
  }
  say("mask restored %d\n", is_blocked(SIGUSR2) == blocked_before);
  return 0;
}

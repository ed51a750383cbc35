/* The arithmetic flags live through asynchronous signals that hit a loop which keeps them and sets none. */
#include "sys_helpers.h"

static volatile int ticks;

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  __asm__ volatile("xor %%eax, %%eax\n add $1, %%eax" ::: "eax", "cc"); /* other flags than the loop's */
  ticks++;
}

/* Loads `flags`, spins without touching them, returns what they are then. The loop counts by lea and
 * jrcxz. */
static long spin_with(long flags) {
  long rounds = 20000;
  __asm__ volatile(
      "push %0\n popf\n"
      "1: jrcxz 2f\n"
      "lea -1(%1), %1\n"
      "jmp 1b\n"
      "2: pushf\n pop %0\n"
      "push $0x202\n popf\n"
      : "+r"(flags), "+c"(rounds)
      :
      : "cc", "memory");
  return flags & 0xcd5;
}

int main(void) {
  long wrong = 0, combination = 0;
  handle(SIGALRM, on_tick, SA_RESTART);
  tick_every(500);
  while (ticks < 400) {
    long bits = combination++;
    long flags = (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 24) << 3 | (bits & 96) << 5;
    wrong += spin_with(flags | 0x202) != flags;
  }
  tick_every(0);
  say("signals 400, flags lost %ld\n", wrong);
  return 0;
}

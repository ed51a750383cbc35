/* Locked increments, compare-and-swap loops and string moves under a signal storm: nothing is done twice or
 * lost. */
#include "sys_helpers.h"

static volatile int ticks;
static volatile long shared;
static volatile long in_handler;

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  __atomic_fetch_add(&shared, 1000003, __ATOMIC_SEQ_CST); /* the same word */
  in_handler++;
  ticks++;
}

int main(void) {
  static char from[8192], to[8192];
  long adds = 0, swaps = 0, wrong = 0;
  handle(SIGALRM, on_tick, SA_RESTART);
  tick_every(200);
  while (ticks < 500) {
    for (int i = 0; i < 100; i++) {
      __asm__ volatile("lock incq %0" : "+m"(shared)::"cc", "memory");
      adds++;
      long old = shared;
      while (!__atomic_compare_exchange_n(&shared, &old, old + 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
      swaps++;
      long one = 1;
      __asm__ volatile("lock xadd %0, %1" : "+r"(one), "+m"(shared)::"cc", "memory");
      adds++;
      __asm__ volatile("incq %0" : "+m"(shared)::"cc", "memory"); /* not locked, yet one instruction */
      adds++;
    }
    memset(from, ticks, sizeof from);
    void *d = to, *s = from;
    unsigned long n = sizeof to;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n)::"memory");
    wrong += memcmp(from, to, sizeof to) != 0 || n != 0;
  }
  tick_every(0);
  say("sum right %d, moves wrong %ld\n", shared == adds + 3 * swaps + 1000003 * in_handler, wrong);
  return 0;
}

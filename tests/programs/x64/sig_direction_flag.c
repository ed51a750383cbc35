/* The direction flag is clear in a handler and set again after it, synchronous or asynchronous. */
#include "sys_helpers.h"

static volatile int ticks, set_in_handler, set_in_context;

static long flags_now(void) {
  long flags;
  __asm__ volatile("pushf\n pop %0" : "=r"(flags));
  return flags;
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)info;
  set_in_handler += (flags_now() >> 10) & 1;
  set_in_context += (REG(context, REG_EFL) >> 10) & 1;
  if (sig == SIGILL) REG(context, REG_RIP) += 2;
  ticks++;
}

int main(void) {
  long after, kept = 0;
  handle(SIGILL, on_signal, 0);
  handle(SIGALRM, on_signal, 0);
  __asm__ volatile("std\n ud2\n pushf\n pop %0\n cld" : "=r"(after)::"memory", "cc");
  say("synchronous: handler %d context %d after %ld\n", set_in_handler, set_in_context, after >> 10 & 1);
  ticks = set_in_handler = set_in_context = 0;
  tick_every(500);
  for (long i = 0; ticks < 200; i++) {
    long rounds = 20000;
    __asm__ volatile("std\n 1: dec %1\n jnz 1b\n pushf\n pop %0\n cld"
                     : "=r"(after), "+r"(rounds)::"memory", "cc");
    kept += (after >> 10 & 1) == 0;
  }
  tick_every(0);
  say("asynchronous: handler %d seen in some context %d lost %ld\n", set_in_handler, set_in_context > 0,
      kept);
  return 0;
}

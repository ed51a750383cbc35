/* 100,000 signals to itself, each handled before raise returns; a third by kill, a third by sigqueue. */
#include "sys_helpers.h"

static volatile long handled, sum;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  handled++;
  if (info->si_code == SI_QUEUE) sum += info->si_value.sival_int;
}

int main(void) {
  long late = 0;
  handle(SIGUSR1, on_signal, 0);
  for (int i = 0; i < 100000; i++) {
    if (i % 3 == 0)
      raise(SIGUSR1);
    else if (i % 3 == 1)
      kill(getpid(), SIGUSR1);
    else
      sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = i});
    late += handled != i + 1;
  }
  say("handled %ld late %ld sum %ld\n", handled, late, sum);
  return 0;
}

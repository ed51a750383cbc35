/* setitimer REAL, VIRTUAL and PROF: each sends its signal repeatedly; values asked, replaced and switched
 * off. */
#include "sys_helpers.h"

static volatile int counts[3];
static const int which[3] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
static const int signals[3] = {SIGALRM, SIGVTALRM, SIGPROF};

static void on_timer(int sig, siginfo_t *info, void *context) {
  (void)context;
  for (int i = 0; i < 3; i++)
    if (signals[i] == sig) counts[i] += info->si_code == SI_KERNEL;
}

int main(void) {
  struct itimerval fast = {{0, 4000}, {0, 4000}}, slow = {{5, 0}, {100, 0}}, off = {{0, 0}, {0, 0}}, old;
  for (int i = 0; i < 3; i++) {
    handle(signals[i], on_timer, SA_RESTART);
    CHECK(setitimer(which[i], &slow, NULL) == 0 && getitimer(which[i], &old) == 0);
    say("timer %d: interval %ld left about a hundred %d\n", i, (long)old.it_interval.tv_sec,
        old.it_value.tv_sec > 90 && old.it_value.tv_sec <= 100);
    CHECK(setitimer(which[i], &fast, &old) == 0);
    say("timer %d: replaced interval %ld\n", i, (long)old.it_interval.tv_sec);
    while (counts[i] < 5) continue;
    CHECK(setitimer(which[i], &off, &old) == 0 && getitimer(which[i], &old) == 0);
    say("timer %d: off %d\n", i, old.it_value.tv_sec == 0 && old.it_value.tv_usec == 0);
  }
  struct itimerval invalid = {{0, 0}, {0, 1000000}};
  say("invalid: %s, no such timer: %s\n", outcome(setitimer(ITIMER_REAL, &invalid, NULL)),
      outcome(setitimer(9, &fast, NULL)));
  unsigned before = alarm(50), left = alarm(0);
  say("alarm: %u before, then nearly 50 %d\n", before, left == 50 || left == 49);
  return 0;
}

/* Timers by SIGEV_THREAD and SIGEV_NONE, and on processor-time clocks; one-shot timers expire once. */
#include "sys_helpers.h"
#include <semaphore.h>
#include <time.h>

static sem_t done;
static volatile int calls, wrong;
static volatile int signals;

static void notified(union sigval value) {
  wrong += value.sival_int != 99;
  calls++;
  sem_post(&done);
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  signals += info->si_code == SI_TIMER;
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified};
  struct itimerspec soon = {{0, 0}, {0, 2000000}}, now;
  timer_t timer;
  event.sigev_value.sival_int = 99;
  CHECK(sem_init(&done, 0, 0) == 0);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
  while (sem_wait(&done) != 0) CHECK(errno == EINTR);
  CHECK(timer_gettime(timer, &now) == 0);
  say("thread called %d wrong %d, timer at rest %d\n", calls, wrong, now.it_value.tv_nsec == 0);
  CHECK(timer_delete(timer) == 0);
  struct sigevent none = {.sigev_notify = SIGEV_NONE};
  CHECK(timer_create(CLOCK_MONOTONIC, &none, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
  do CHECK(timer_gettime(timer, &now) == 0);
  while (now.it_value.tv_nsec != 0);
  say("silent timer ran out\n");
  handle(SIGUSR1, on_signal, 0);
  const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
  for (int i = 0; i < 2; i++) {
    struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    signals = 0;
    CHECK(timer_create(clocks[i], &by_signal, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
    while (!signals) continue;
    say("processor time %d: %d\n", i, signals);
    CHECK(timer_delete(timer) == 0);
  }
  say("bad clock: %s\n", outcome(timer_create(77, NULL, &timer)));
  return 0;
}

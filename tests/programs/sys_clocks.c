/* Clocks agree with each other, never go back, and sleep at least as long as asked; invalid ones are
 * refused. */
#include "sys_helpers.h"
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>

static long nanoseconds(clockid_t clock) {
  struct timespec t;
  CHECK(clock_gettime(clock, &t) == 0 && t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void) {
  const clockid_t clocks[] = {CLOCK_REALTIME,        CLOCK_MONOTONIC,          CLOCK_MONOTONIC_RAW,
                              CLOCK_BOOTTIME,        CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                              CLOCK_MONOTONIC_COARSE};
  for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
    long previous = nanoseconds(clocks[i]), back = 0;
    for (int k = 0; k < 2000; k++) {
      long now = nanoseconds(clocks[i]);
      back += now < previous && clocks[i] != CLOCK_REALTIME;
      previous = now;
    }
    struct timespec resolution;
    CHECK(clock_getres(clocks[i], &resolution) == 0);
    say("clock %d went back %ld times, resolution %ld\n", clocks[i], back, resolution.tv_nsec);
  }
  struct timespec direct;
  long before = nanoseconds(CLOCK_MONOTONIC);
  CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &direct) == 0);
  long between = direct.tv_sec * 1000000000L + direct.tv_nsec, after = nanoseconds(CLOCK_MONOTONIC);
  say("by call and by library in order %d\n", before <= between && between <= after);
  struct timeval day;
  time_t first = time(NULL);
  CHECK(gettimeofday(&day, NULL) == 0);
  time_t second = time(NULL);
  say("time and gettimeofday %d\n", first <= day.tv_sec && day.tv_sec <= second + 1);
  before = nanoseconds(CLOCK_MONOTONIC);
  CHECK(nanosleep(&(struct timespec){0, 3000000}, NULL) == 0);
  say("slept long enough %d\n", nanoseconds(CLOCK_MONOTONIC) - before >= 3000000);
  struct timespec until = {0, 0};
  CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
  until.tv_nsec += 3000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  say("reached the time %d\n", nanoseconds(CLOCK_MONOTONIC) >= until.tv_sec * 1000000000L + until.tv_nsec);
  say("bad clock: %s\n", outcome(clock_gettime(777, &until)));
  say("bad sleep: %s\n", outcome(nanosleep(&(struct timespec){0, 1000000000}, NULL)));
  say("negative sleep: %s\n", outcome(nanosleep(&(struct timespec){-1, 0}, NULL)));
  struct tms spent;
  struct rusage usage;
  CHECK(times(&spent) != (clock_t)-1 && getrusage(RUSAGE_SELF, &usage) == 0);
  say("memory used is counted %d\n", usage.ru_maxrss > 0 && usage.ru_minflt > 0);
  return 0;
}

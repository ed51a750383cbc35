/* nanosleep, clock_nanosleep, pause, sigsuspend, sigtimedwait: EINTR always; the remaining time is given. */
#include "sig_interrupt.h"
#include <time.h>

static struct timespec minute = {60, 0}, left;

static long result_of(int error) {
  errno = error;
  return error ? -1 : 0;
}
static long do_nanosleep(void) {
  return nanosleep(&minute, &left);
}
static long do_relative(void) {
  return result_of(clock_nanosleep(CLOCK_MONOTONIC, 0, &minute, &left));
}
static long do_absolute(void) {
  struct timespec until;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
  until.tv_sec += 60;
  return result_of(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, &left));
}
static long do_sleep(void) {
  unsigned rest = sleep(60);
  errno = EINTR;
  return rest >= 58 && rest <= 60 ? -1L : (long)rest;
}
static long do_pause(void) {
  return pause();
}
static long do_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigsuspend(&none);
}
static long do_sigtimedwait(void) {
  sigset_t other;
  sigemptyset(&other);
  sigaddset(&other, SIGUSR1);
  return sigtimedwait(&other, NULL, &minute);
}

int main(void) {
  for (int flags = 0;; flags = SA_RESTART) {
    interrupted("nanosleep", flags, do_nanosleep);
    say("  remaining under a minute: %d\n", left.tv_sec < 60 && left.tv_sec >= 55);
    left.tv_sec = 1234;
    interrupted("clock_nanosleep", flags, do_relative);
    say("  remaining under a minute: %d\n", left.tv_sec < 60 && left.tv_sec >= 55);
    left.tv_sec = 1234;
    interrupted("clock_nanosleep until", flags, do_absolute);
    say("  remaining is left alone: %d\n", left.tv_sec == 1234);
    interrupted("sleep", flags, do_sleep);
    interrupted("pause", flags, do_pause);
    interrupted("sigsuspend", flags, do_sigsuspend);
    interrupted("sigtimedwait", flags, do_sigtimedwait);
    if (flags) return 0;
  }
}

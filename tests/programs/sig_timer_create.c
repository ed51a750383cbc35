/* timer_create with a signal, a value and a thread; si_code, timer id, overrun; deletion; fork does not
 * inherit. */
#include "sys_helpers.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int count, bad;
static atomic_int expected_tid;

static void on_timer(int sig, siginfo_t *info, void *context) {
  (void)context;
  bad += info->si_code != SI_TIMER || info->si_value.sival_int != 4711 || sig != SIGRTMIN + 2;
  bad += expected_tid && gettid() != expected_tid;
  count++;
}

static timer_t start(int notify, int tid) {
  struct sigevent event = {.sigev_notify = notify, .sigev_signo = SIGRTMIN + 2};
  event.sigev_value.sival_int = 4711;
  event._sigev_un._tid = tid; /* sigev_notify_thread_id, a name this libc lacks */
  timer_t timer;
  struct itimerspec times = {{0, 2000000}, {0, 2000000}};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &times, NULL) == 0);
  return timer;
}

static void *thread(void *argument) {
  expected_tid = gettid();
  count = 0;
  timer_t timer = start(SIGEV_THREAD_ID, gettid());
  while (count < 10) continue;
  CHECK(timer_delete(timer) == 0);
  return argument;
}

int main(void) {
  struct itimerspec left;
  handle(SIGRTMIN + 2, on_timer, 0);
  timer_t timer = start(SIGEV_SIGNAL, 0);
  while (count < 10) pause();
  CHECK(timer_gettime(timer, &left) == 0);
  say("process: ten expirations, bad %d, interval %ld\n", bad, left.it_interval.tv_nsec);
  pid_t child = fork();
  if (child == 0) _exit(timer_gettime(timer, &left) == -1 && errno == EINVAL ? 5 : 6);
  say_status("child has no such timer", reap(child));
  CHECK(timer_delete(timer) == 0);
  say("deleted: %s\n", outcome(timer_gettime(timer, &left)));
  pthread_t worker;
  CHECK(pthread_create(&worker, NULL, thread, NULL) == 0 && pthread_join(worker, NULL) == 0);
  say("thread: bad %d\n", bad);
  expected_tid = 0;
  mask_one(SIG_BLOCK, SIGRTMIN + 2);
  timer = start(SIGEV_SIGNAL, 0);
  nanosleep(&(struct timespec){0, 30000000}, NULL);
  siginfo_t info;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 2);
  CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 2);
  say("blocked meanwhile: overruns counted %d, same by call %d\n", info.si_overrun >= 5,
      timer_getoverrun(timer) == info.si_overrun);
  return 0;
}

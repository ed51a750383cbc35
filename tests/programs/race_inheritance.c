/* Processes with two threads each fight for mutexes that inherit priority: a plain one, a robust one that an owner now and then leaves
 * by ending, and one that is waited for only a moment. */
#include "race_processes.h"

#include <errno.h>
#include <time.h>

static struct {
  pthread_mutex_t mutex, robust, timed;
  uint32_t turn, timeouts, deaths;
} * shared;

static uint32_t seen[2]; /* by the threads of a process */

static void take_and_end(void) {
  int result = pthread_mutex_lock(&shared->robust);
  if (result == EOWNERDEAD) CHECK(!pthread_mutex_consistent(&shared->robust));
  shared->turn++;
}

static void *heir(void *nothing) {
  take_and_end();
  return nothing;
}

static uint32_t lock_robust(void) {
  int result = pthread_mutex_lock(&shared->robust);
  CHECK(!result || result == EOWNERDEAD);
  if (result) CHECK(!pthread_mutex_consistent(&shared->robust));
  shared->deaths += result != 0;
  return shared->turn + (uint32_t)result;
}

/* When the time is over depends on the machine, so that it only counts where there is something to race with. */
static uint32_t lock_timed(void) {
  struct timespec until;
  CHECK(!clock_gettime(CLOCK_REALTIME, &until));
  until.tv_nsec += 20000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
  int result = pthread_mutex_timedlock(&shared->timed, &until);
  CHECK(!result || result == ETIMEDOUT);
  if (result) return __atomic_add_fetch(&shared->timeouts, 1, __ATOMIC_RELAXED);
  sched_yield();
  CHECK(!pthread_mutex_unlock(&shared->timed));
  return 0;
}

static void *work(void *which) {
  uint32_t *mine = which;
  for (unsigned i = 0; i < race_rounds; i++) {
    CHECK(!pthread_mutex_lock(&shared->mutex));
    *mine = race_mix(*mine, shared->turn++);
    if (i % 4 == 3) sched_yield();
    CHECK(!pthread_mutex_unlock(&shared->mutex));
    *mine = race_mix(*mine, lock_robust());
    CHECK(!pthread_mutex_unlock(&shared->robust));
    *mine = race_mix(*mine, lock_timed());
    if (i % 16 == 15) {
      pthread_t other;
      CHECK(!pthread_create(&other, NULL, heir, NULL) && !pthread_join(other, NULL));
    }
  }
  return NULL;
}

static void run(unsigned me) {
  pthread_t other;
  CHECK(!pthread_create(&other, NULL, work, &seen[1]));
  work(&seen[0]);
  CHECK(!pthread_join(other, NULL));
  if (race_threads > 1) race_note(me, seen[0] + 3 * seen[1]);
}

static uint32_t more(void) {
  return race_threads > 1 ? shared->turn + shared->deaths : 0;
}

int main(int argc, char **argv) {
  pthread_mutexattr_t attributes;
  shared = race_share(sizeof *shared);
  CHECK(!pthread_mutexattr_init(&attributes));
  CHECK(!pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  CHECK(!pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
  CHECK(!pthread_mutex_init(&shared->mutex, &attributes));
  CHECK(!pthread_mutex_init(&shared->timed, &attributes));
  CHECK(!pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  CHECK(!pthread_mutex_init(&shared->robust, &attributes));
  return race_fork(argc, argv, 40, run, more);
}

/* waiting.c: time passes: sleeps in order, time-outs that run out and that do not, clocks that never go back. */
/* status: 0 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static long finished;

static int64_t now(clockid_t clock) {
  struct timespec t;
  CHECK(!clock_gettime(clock, &t));
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *sleeper(void *argument) {
  long me = (long)argument;
  struct timespec time = {0, (6 - me) * 30000000};
  CHECK(!nanosleep(&time, NULL));
  pthread_mutex_lock(&lock);
  finished = finished * 10 + me;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[5];
  sem_t semaphore;
  struct timespec soon;
  int64_t start = now(CLOCK_MONOTONIC), last = start;
  for (long i = 0; i < 5; i++) pthread_create(&threads[i], NULL, sleeper, (void *)(i + 1));
  for (int i = 0; i < 5; i++) pthread_join(threads[i], NULL);
  CHECK(now(CLOCK_MONOTONIC) - start >= 150000000);
  for (int i = 0; i < 100; i++) {
    int64_t t = now(CLOCK_MONOTONIC);
    CHECK(t >= last);
    last = t;
  }
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 5000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_nsec -= 1000000000, soon.tv_sec++;
  pthread_mutex_lock(&lock);
  CHECK(pthread_cond_timedwait(&never, &lock, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&lock);
  sem_init(&semaphore, 0, 1);
  CHECK(!sem_timedwait(&semaphore, &soon) && sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT);
  printf("%ld\n", finished);
  return 0;
}

/* Priority-inheritance mutexes, which the kernel takes part in: counting under contention, error codes. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static pthread_mutex_t mutex;
static long counter;

static void *count(void *arg) {
  for (int i = 0; i < 10000; i++) {
    CHECK(pthread_mutex_lock(&mutex) == 0);
    counter += (long)arg;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
  }
  return NULL;
}

static void *give_up(void *arg) {
  (void)arg;
  struct timespec past = {1, 0};
  printf("trylock %s, timedlock %s\n", pthread_mutex_trylock(&mutex) == EBUSY ? "EBUSY" : "?",
         pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT ? "ETIMEDOUT" : "?");
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attr;
  CHECK(pthread_mutexattr_init(&attr) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
  CHECK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
  CHECK(pthread_mutex_init(&mutex, &attr) == 0);
  pthread_t t[4];
  for (long i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, count, (void *)(i + 1)) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("counter %ld\n", counter);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  printf("again %s\n", pthread_mutex_lock(&mutex) == EDEADLK ? "EDEADLK" : "?");
  CHECK(pthread_create(&t[0], NULL, give_up, NULL) == 0 && pthread_join(t[0], NULL) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

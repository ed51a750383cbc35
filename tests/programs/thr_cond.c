/* Condition variables: a bounded queue, broadcast to many, and a timed wait that times out. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

enum { ITEMS = 5000, ROOM = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static long queue[ROOM], head, tail, sum;

static void *produce(void *arg) {
  for (long i = 1; i <= ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (head - tail == ROOM) pthread_cond_wait(&not_full, &mutex);
    queue[head++ % ROOM] = i * (long)arg;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void *consume(void *arg) {
  (void)arg;
  for (long i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (head == tail) pthread_cond_wait(&not_empty, &mutex);
    sum += queue[tail++ % ROOM];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static int generation, woken;

static void *wait_generation(void *arg) {
  pthread_mutex_lock(&mutex);
  while (generation == 0) pthread_cond_wait(&not_empty, &mutex);
  woken++;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t t[10];
  for (long i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, produce, (void *)(i + 1)) == 0);
  for (int i = 3; i < 6; i++) CHECK(pthread_create(&t[i], NULL, consume, NULL) == 0);
  for (int i = 0; i < 6; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("sum %ld, left %ld\n", sum, head - tail);
  for (int i = 0; i < 10; i++) CHECK(pthread_create(&t[i], NULL, wait_generation, NULL) == 0);
  pthread_mutex_lock(&mutex);
  generation = 1;
  pthread_cond_broadcast(&not_empty);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 10; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("woken %d\n", woken);
  struct timespec soon;
  CHECK(clock_gettime(CLOCK_REALTIME, &soon) == 0);
  soon.tv_nsec += 2000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
  pthread_mutex_lock(&mutex);
  int result;
  while ((result = pthread_cond_timedwait(&not_full, &mutex, &soon)) == 0) continue;
  printf("timed wait: %s\n", result == ETIMEDOUT ? "ETIMEDOUT" : "?");
  pthread_mutex_unlock(&mutex);
  return 0;
}

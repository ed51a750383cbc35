/* threads.c: mutexes, condition variables, barriers, semaphores, read-write locks, thread-local and once. */
#include <pthread.h>
#include <semaphore.h>

#include "program.h"

enum { THREADS = 12, ROUNDS = 300 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t slots;
static long turn, total, made, version;
static __thread long mine;

static void make(void) {
  made++;
}

static void *work(void *argument) {
  long me = (long)argument;
  pthread_once(&once, make);
  for (long i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&lock);
    total += me;
    pthread_mutex_unlock(&lock);
    mine += i;
    if (i % 50 == 0) {
      pthread_rwlock_wrlock(&shared_lock);
      version++;
      pthread_rwlock_unlock(&shared_lock);
      pthread_barrier_wait(&barrier);
      pthread_rwlock_rdlock(&shared_lock);
      CHECK(version == (i / 50 + 1) * THREADS);
      pthread_rwlock_unlock(&shared_lock);
      pthread_barrier_wait(&barrier);
    }
    sem_wait(&slots);
    sem_post(&slots);
  }
  /* One after the other, in the order of their numbers. */
  pthread_mutex_lock(&lock);
  while (turn != me) pthread_cond_wait(&changed, &lock);
  printf("thread %ld: %ld\n", me, mine);
  turn++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return (void *)(me * me);
}

int main(void) {
  pthread_t threads[THREADS];
  long squares = 0;
  pthread_barrier_init(&barrier, NULL, THREADS);
  sem_init(&slots, 0, 3);
  for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
  for (int i = 0; i < THREADS; i++) {
    void *result;
    CHECK(!pthread_join(threads[i], &result));
    squares += (long)result;
  }
  printf("%ld %ld %ld\n", total, squares, made);
  return 0;
}

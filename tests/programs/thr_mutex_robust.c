/* A robust mutex whose owner thread ends: the next locker gets EOWNERDEAD, then repairs or poisons it. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

static pthread_mutex_t mutex;

static void *die_holding(void *arg) {
  (void)arg;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  return NULL;
}

static void *wait_for_it(void *arg) {
  int result = pthread_mutex_lock(&mutex);
  if (result == EOWNERDEAD) CHECK(pthread_mutex_consistent(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  *(int *)arg = result;
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attr;
  pthread_t t, waiter[3];
  int result[3], dead = 0, fine = 0;
  CHECK(pthread_mutexattr_init(&attr) == 0);
  CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutex_init(&mutex, &attr) == 0);

  CHECK(pthread_create(&t, NULL, die_holding, NULL) == 0 && pthread_join(t, NULL) == 0);
  printf("after death: %s\n", strerror(pthread_mutex_trylock(&mutex)));
  CHECK(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  printf("repaired: %s\n", strerror(pthread_mutex_lock(&mutex)));
  CHECK(pthread_mutex_unlock(&mutex) == 0);

  CHECK(pthread_create(&t, NULL, die_holding, NULL) == 0 && pthread_join(t, NULL) == 0);
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&waiter[i], NULL, wait_for_it, &result[i]) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK(pthread_join(waiter[i], NULL) == 0);
    dead += result[i] == EOWNERDEAD;
    fine += result[i] == 0;
  }
  printf("three waiters: %d saw the death, %d did not\n", dead, fine);

  CHECK(pthread_create(&t, NULL, die_holding, NULL) == 0 && pthread_join(t, NULL) == 0);
  CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  CHECK(pthread_mutex_unlock(&mutex) == 0); /* without making it consistent */
  printf("poisoned: %s\n", strerror(pthread_mutex_lock(&mutex)));
  return 0;
}

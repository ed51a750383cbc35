/* Normal, recursive and error-checking mutexes: contention, recursion depth and error codes. */
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex;
static long counter;

static void *count(void *arg) {
  int depth = (int)(long)arg;
  for (int i = 0; i < 20000; i++) {
    for (int d = 0; d < depth; d++) CHECK(pthread_mutex_lock(&mutex) == 0);
    counter++;
    for (int d = 0; d < depth; d++) CHECK(pthread_mutex_unlock(&mutex) == 0);
  }
  return NULL;
}

static void *try_foreign(void *arg) {
  (void)arg;
  printf("  other thread: trylock %s, unlock %s\n", pthread_mutex_trylock(&mutex) == EBUSY ? "EBUSY" : "?",
         pthread_mutex_unlock(&mutex) == EPERM ? "EPERM" : "?");
  return NULL;
}

static void contend(const char *name, int type, long depth) {
  pthread_mutexattr_t attr;
  CHECK(pthread_mutexattr_init(&attr) == 0 && pthread_mutexattr_settype(&attr, type) == 0);
  CHECK(pthread_mutex_init(&mutex, &attr) == 0);
  counter = 0;
  pthread_t t[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, count, (void *)depth) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("%s: %ld\n", name, counter);
  if (type == PTHREAD_MUTEX_NORMAL || type == PTHREAD_MUTEX_ADAPTIVE_NP) return;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  int again = pthread_mutex_lock(&mutex);
  printf("  lock again: %s\n", again == 0 ? "allowed" : again == EDEADLK ? "EDEADLK" : "?");
  CHECK(pthread_create(&t[0], NULL, try_foreign, NULL) == 0 && pthread_join(t[0], NULL) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  printf("  unlock again: %s\n", pthread_mutex_unlock(&mutex) == 0 ? "allowed" : "refused");
}

int main(void) {
  contend("normal", PTHREAD_MUTEX_NORMAL, 1);
  contend("adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, 1);
  contend("errorcheck", PTHREAD_MUTEX_ERRORCHECK, 1);
  contend("recursive", PTHREAD_MUTEX_RECURSIVE, 3);
  return 0;
}

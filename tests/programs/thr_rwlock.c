/* Read-write locks: readers share, writers exclude, the error codes of the try and timed forms. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long a, b;

static void *reader(void *arg) {
  long *equal = arg;
  for (int i = 0; i < 5000; i++) {
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    *equal += a == b;
    CHECK(pthread_rwlock_unlock(&lock) == 0);
  }
  return NULL;
}

static void *writer(void *arg) {
  for (int i = 0; i < 2000; i++) {
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    a += (long)arg;
    b += (long)arg;
    CHECK(pthread_rwlock_unlock(&lock) == 0);
  }
  return NULL;
}

static void *attempts(void *arg) {
  struct timespec past = {1, 0};
  int rd = pthread_rwlock_tryrdlock(&lock);
  if (rd == 0) CHECK(pthread_rwlock_unlock(&lock) == 0);
  printf("%s: tryrdlock %s, trywrlock %s, timedwrlock %s\n", (char *)arg, rd == EBUSY ? "EBUSY" : "taken",
         pthread_rwlock_trywrlock(&lock) == EBUSY ? "EBUSY" : "taken",
         pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT ? "ETIMEDOUT" : "?");
  return NULL;
}

int main(void) {
  pthread_t t[5];
  long equal[3] = {0};
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, reader, &equal[i]) == 0);
  for (long i = 3; i < 5; i++) CHECK(pthread_create(&t[i], NULL, writer, (void *)i) == 0);
  for (int i = 0; i < 5; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("a %ld b %ld, consistent reads %ld %ld %ld\n", a, b, equal[0], equal[1], equal[2]);
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  CHECK(pthread_create(&t[0], NULL, attempts, "read-locked") == 0 && pthread_join(t[0], NULL) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_wrlock(&lock) == 0);
  CHECK(pthread_create(&t[0], NULL, attempts, "write-locked") == 0 && pthread_join(t[0], NULL) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  return 0;
}

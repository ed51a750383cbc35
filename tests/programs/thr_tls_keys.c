/* pthread keys: destructors run at thread exit, again while they set new values, then give up. */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "check.h"

static pthread_key_t once_key, stubborn_key, deleted_key;
static int once_runs, stubborn_runs, deleted_runs;

static void once(void *value) {
  CHECK(pthread_getspecific(once_key) == NULL);
  CHECK((uintptr_t)value == 11);
  once_runs++;
}

static void stubborn(void *value) {
  stubborn_runs++;
  CHECK(pthread_setspecific(stubborn_key, value) == 0);
}

static void deleted(void *value) {
  (void)value;
  deleted_runs++;
}

static void *use(void *arg) {
  CHECK(pthread_getspecific(once_key) == NULL);
  CHECK(pthread_setspecific(once_key, (void *)11) == 0);
  CHECK(pthread_setspecific(stubborn_key, arg) == 0);
  CHECK(pthread_setspecific(deleted_key, arg) == 0);
  CHECK(pthread_key_delete(deleted_key) == 0);
  return NULL;
}

int main(void) {
  CHECK(pthread_key_create(&once_key, once) == 0);
  CHECK(pthread_key_create(&stubborn_key, stubborn) == 0);
  for (int i = 0; i < 3; i++) {
    pthread_t t;
    CHECK(pthread_key_create(&deleted_key, deleted) == 0);
    CHECK(pthread_create(&t, NULL, use, &once_runs) == 0 && pthread_join(t, NULL) == 0);
  }
  printf("once %d, stubborn %d (limit %d each), deleted %d\n", once_runs, stubborn_runs,
         PTHREAD_DESTRUCTOR_ITERATIONS, deleted_runs);
  return 0;
}

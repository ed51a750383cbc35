/* Detached threads, by attribute, by pthread_detach from outside and from inside. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

#include "check.h"

static sem_t done, go;

static void *self_detach(void *arg) {
  if (arg) CHECK(pthread_detach(pthread_self()) == 0);
  CHECK(sem_wait(&go) == 0);
  CHECK(sem_post(&done) == 0);
  return NULL;
}

int main(void) {
  CHECK(sem_init(&done, 0, 0) == 0 && sem_init(&go, 0, 0) == 0);
  pthread_attr_t attr;
  CHECK(pthread_attr_init(&attr) == 0);
  CHECK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
  pthread_t by_attr, by_other, by_self;
  CHECK(pthread_create(&by_attr, &attr, self_detach, NULL) == 0);
  CHECK(pthread_create(&by_other, NULL, self_detach, NULL) == 0);
  CHECK(pthread_detach(by_other) == 0);
  CHECK(pthread_create(&by_self, NULL, self_detach, (void *)1) == 0);
  printf("join a detached thread: %s\n", pthread_join(by_attr, NULL) == EINVAL ? "EINVAL" : "other");
  for (int i = 0; i < 3; i++) CHECK(sem_post(&go) == 0);
  for (int i = 0; i < 3; i++) CHECK(sem_wait(&done) == 0);
  for (int i = 0; i < 500; i++) {
    pthread_t t;
    CHECK(pthread_create(&t, &attr, self_detach, NULL) == 0);
    CHECK(sem_post(&go) == 0 && sem_wait(&done) == 0);
  }
  puts("503 detached threads ran");
  return 0;
}

/* The main thread leaves by pthread_exit; the others go on, even join it, and the process ends with 0. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

static pthread_t main_thread;

static void *last(void *arg) {
  long sum = 0;
  for (long i = 0; i < 1000000; i++) sum += i ^ (long)arg;
  printf("last thread: %ld\n", sum);
  return NULL;
}

static void *joiner(void *arg) {
  void *result;
  (void)arg;
  CHECK(pthread_join(main_thread, &result) == 0);
  printf("main thread gave %ld\n", (long)result);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, last, (void *)5) == 0);
  pthread_exit(NULL);
}

static void bye(void) {
  puts("exit handler ran");
}

int main(void) {
  pthread_t t;
  CHECK(atexit(bye) == 0);
  main_thread = pthread_self();
  CHECK(pthread_create(&t, NULL, joiner, NULL) == 0);
  pthread_exit((void *)77);
}

/* exit from a thread other than the first: handlers run, buffers are flushed, the status is its own. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

static __thread int where = 1;

static void bye(void) {
  printf("exit handler in thread %d\n", where);
}

static void *leave(void *arg) {
  where = 2;
  printf("leaving without a newline, ");
  exit((int)(long)arg);
}

int main(void) {
  pthread_t t;
  CHECK(atexit(bye) == 0);
  CHECK(pthread_create(&t, NULL, leave, (void *)23) == 0);
  pthread_join(t, NULL); /* waits for ever */
  puts("not reached");
  return 0;
}

/* Deferred cancellation: acts at a cancellation point only, runs cleanup handlers innermost first. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "check.h"

static sem_t ready, cancelled;
static int steps[4], count;

static void note(void *arg) {
  steps[count++] = (int)(long)arg;
}

static void *worker(void *arg) {
  int old;
  pthread_cleanup_push(note, (void *)1L);
  pthread_cleanup_push(note, (void *)2L);
  if (arg) CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
  CHECK(sem_post(&ready) == 0);
  while (sem_trywait(&cancelled) != 0) sched_yield(); /* neither is a cancellation point */
  if (arg) {
    pthread_testcancel(); /* disabled: goes on */
    note((void *)9L);
    CHECK(pthread_setcancelstate(old, NULL) == 0);
  }
  pthread_testcancel();
  puts("not reached");
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  CHECK(sem_init(&ready, 0, 0) == 0 && sem_init(&cancelled, 0, 0) == 0);
  for (long disable = 0; disable < 2; disable++) {
    pthread_t t;
    void *result;
    count = 0;
    CHECK(pthread_create(&t, NULL, worker, (void *)disable) == 0);
    CHECK(sem_wait(&ready) == 0);
    CHECK(pthread_cancel(t) == 0);
    CHECK(sem_post(&cancelled) == 0);
    CHECK(pthread_join(t, &result) == 0);
    printf("%s, steps:", result == PTHREAD_CANCELED ? "cancelled" : "returned");
    for (int i = 0; i < count; i++) printf(" %d", steps[i]);
    puts("");
  }
  return 0;
}

/* Two threads read the same counter before either writes it: one update is lost. */
#include <pthread.h>
#include <stdio.h>

static volatile int counter;
static pthread_barrier_t barrier;

static void *increment(void *argument) {
  int seen = counter;
  pthread_barrier_wait(&barrier);
  counter = seen + 1;
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 2);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", counter);
  return 0;
}

/* crowd.c: crowd N: N threads, one after the other, or all at once with a second argument: more than a recording or the simulator's kernel has room for. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static int at_once;
static sem_t never;

static void *work(void *argument) {
  if (at_once) sem_wait(&never);
  return argument;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1, done = 0;
  at_once = argc > 2;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  for (; done < count; done++) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, NULL)) break;
    if (!at_once) pthread_join(thread, NULL);
  }
  printf("%ld\n", done);
  return done != count;
}

/* A thread writes to the wrong element; the first thread finds it long after that, and aborts. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 16, SEALED = 11 };
static volatile int elements[ELEMENTS];

static void *number(void *argument) {
  for (int i = 0; i < ELEMENTS; i++) elements[i * 5 % 12] = i;
  return argument;
}

static long work(long rounds) {
  long sum = 0;
  for (long i = 0; i < rounds; i++) sum += i ^ (sum >> 3);
  return sum;
}

int main(void) {
  pthread_t thread;
  elements[SEALED] = -1;
  pthread_create(&thread, NULL, number, NULL);
  pthread_join(thread, NULL);
  printf("%ld\n", work(100000));
  fflush(stdout);
  if (elements[SEALED] != -1) abort();
  return 0;
}

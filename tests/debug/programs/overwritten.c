/* A thread writes beyond the end of an array, into a pointer that the first thread follows long after that. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  long values[8];
  long *pointer;
} shared;
static long target = 42;
static volatile int limit = 8;

static void *fill(void *argument) {
  for (int i = 0; i <= limit; i++) shared.values[i] = i;
  return argument;
}

static long work(long rounds) {
  long sum = 0;
  for (long i = 0; i < rounds; i++) sum += i ^ (sum >> 3);
  return sum;
}

int main(void) {
  pthread_t thread;
  shared.pointer = &target;
  pthread_create(&thread, NULL, fill, NULL);
  pthread_join(thread, NULL);
  long sum = work(100000);
  printf("%ld\n", sum);
  fflush(stdout);
  return (int)*shared.pointer;
}

/* A data race that decides what is printed: one thread counts in a plain word, another prints which number it finds there. Runs, and replays that know the order of
 * synchronisation alone, hardly ever agree. The functions of the C library that synchronise are far from the accesses, so these are not recorded with them.
 *
 *   race_glimpse [GLIMPSES]
 *
 * Without an argument there are none, and the output is the same every time. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { APART = 100000 };

static volatile unsigned long counter;
static sem_t seen;

static void *count(void *argument) {
  (void)argument;
  do
    for (unsigned i = 0; i < APART; i++) counter = counter + 1;
  while (sem_trywait(&seen));
  return NULL;
}

int main(int argc, char **argv) {
  int glimpses = argc > 1 ? atoi(argv[1]) : 0;
  CHECK(!sem_init(&seen, 0, 0));
  for (int i = 0; i < glimpses; i++) {
    pthread_t id;
    unsigned long before = counter, found = before;
    CHECK(!pthread_create(&id, NULL, count, NULL));
    while (found == before) found = counter;
    CHECK(!sem_post(&seen));
    CHECK(!pthread_join(id, NULL));
    printf("%lu\n", found);
  }
  puts("counted");
  return 0;
}

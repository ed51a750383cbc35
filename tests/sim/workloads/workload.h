/* workload.h: multithreaded programs for the simulated machine's figures: PROGRAM THREADS SCALE. Each prints a result that does not depend on the
   interleaving, but for racey, whose only purpose is that it does. */
#ifndef TESTS_SIM_WORKLOAD_H
#define TESTS_SIM_WORKLOAD_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 64 };

static long threads = 4, scale = 1;
static pthread_barrier_t all;

static void work(long me);

static void *start(void *me) {
  work((long)me);
  return NULL;
}

static inline uint64_t next_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return *state = x;
}

static void read_arguments(int argc, char **argv) {
  if (argc > 1) threads = atol(argv[1]);
  if (argc > 2) scale = atol(argv[2]);
  if (threads < 1 || threads > MAX_THREADS || scale < 1) {
    fprintf(stderr, "%s THREADS SCALE\n", argv[0]);
    exit(2);
  }
  pthread_barrier_init(&all, NULL, (unsigned)threads);
}

/* Runs work(0) … work(threads - 1), the first one on the calling thread. */
static void run_all(void) {
  pthread_t thread[MAX_THREADS];
  for (long i = 1; i < threads; i++) pthread_create(&thread[i], NULL, start, (void *)i);
  work(0);
  for (long i = 1; i < threads; i++) pthread_join(thread[i], NULL);
}

#endif

/* looked.c: a program to be looked into, for bench/debug.
 *
 *     looked MEGABYTES ROUNDS
 *
 * Two threads fill so much memory, then compute in rounds, and write all over the memory meanwhile. Each calls `mark` once a round, and every SECOND rounds the
 * first one calls `ring`: places for breakpoints. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, WRITES = 32, STEPS = 2000000, SECOND = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t bytes;
static long rounds;
static uint8_t *memory;
volatile uint64_t marked, rung;

__attribute__((noinline)) void mark(uint64_t value) {
  marked += value;
}

__attribute__((noinline)) void ring(uint64_t value) {
  rung += value;
}

static void *work(void *argument) {
  uint64_t me = (uint64_t)(uintptr_t)argument, x = me * 2654435761u + 1;
  uint8_t *own = memory + bytes / THREADS * me;
  memset(own, (int)me + 1, bytes / THREADS);
  for (long round = 0; round < rounds; round++) {
    for (int i = 0; i < STEPS; i++) x = x * 6364136223846793005u + (x >> 29);
    for (int i = 0; i < WRITES; i++) own[(x >> i) % (bytes / THREADS)]++;
    pthread_mutex_lock(&lock);
    mark(x & 1);
    pthread_mutex_unlock(&lock);
    if (!me && round % SECOND == SECOND - 1) ring(x);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  bytes = (size_t)(argc > 1 ? atol(argv[1]) : 5) << 20;
  rounds = argc > 2 ? atol(argv[2]) : SECOND;
  memory = malloc(bytes);
  if (!memory) return 1;
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("%lu\n", (unsigned long)(marked + rung));
  return 0;
}

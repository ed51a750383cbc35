/* A program whose output depends on every race it runs: threads mix shared cells without any lock, so that
 * one access falling before another changes the signature printed at the end. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, CELLS = 64, ROUNDS = 500000 };

static volatile uint32_t cell[CELLS];
static pthread_barrier_t start; /* or the first thread would be done before the last is there */

static void *mix(void *arg) {
  pthread_barrier_wait(&start);
  uint32_t seed = (uint32_t)(uintptr_t)arg * 2654435761u + 1;
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t from = (seed >> 8) % CELLS, to = (seed >> 20) % CELLS;
    seed = seed * 1664525u + cell[from];
    cell[to] = cell[to] * 31 + seed;
  }
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, mix, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  uint32_t signature = 0;
  for (int i = 0; i < CELLS; i++) signature = signature * 31 + cell[i];
  printf("%08x\n", signature);
  return 0;
}

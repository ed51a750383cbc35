/* A program whose output depends on every race it has: threads mix what they find in an unsynchronised shared array into each
 * other's cells, and the array's signature is printed. Two runs hardly ever agree; a recording and its replay always must.
 *
 *   race_racey [THREADS [ROUNDS]]
 *
 * Without arguments there is one thread, and so nothing to race with: the result is the same every time. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { CELLS = 64, THREADS_MAX = 64 };

static volatile uint32_t cells[CELLS];
static unsigned rounds = 20000;

static uint32_t mix(uint32_t a, uint32_t b) {
  uint32_t x = a * 2654435761u ^ (b << 13 | b >> 19);
  return x ^ x >> 15;
}

static void *run(void *argument) {
  uint32_t own = (uint32_t)(uintptr_t)argument;
  uint32_t at = own * 7919 % CELLS;
  for (unsigned i = 0; i < rounds; i++) {
    uint32_t found = cells[at], next = mix(found, own + i);
    cells[(at + next) % CELLS] = mix(next, found);
    at = next % CELLS;
  }
  return NULL;
}

int main(int argc, char **argv) {
  unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  if (argc > 2) rounds = (unsigned)atoi(argv[2]);
  CHECK(threads >= 1 && threads <= THREADS_MAX);
  pthread_t ids[THREADS_MAX];
  for (unsigned i = 0; i < CELLS; i++) cells[i] = i;
  for (unsigned i = 0; i < threads; i++)
    CHECK(!pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)(i + 1)));
  for (unsigned i = 0; i < threads; i++) CHECK(!pthread_join(ids[i], NULL));
  uint32_t signature = 0;
  for (unsigned i = 0; i < CELLS; i++) signature = mix(signature, cells[i]);
  printf("signature %08x\n", signature);
  return 0;
}

/* race.h: what the race_* programs share.
 *
 *   race_NAME [THREADS [ROUNDS]]
 *
 * Threads race without order, and what they saw is mixed into a signature that is printed: two runs hardly ever agree, a
 * recording and its replay always must. Without arguments there is one thread, and so nothing to race with: the
 * result is the same every time. */
#ifndef RACE_H
#define RACE_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { RACE_THREADS = 64 };

static unsigned race_threads = 1, race_rounds;
static uint32_t race_seen[RACE_THREADS]; /* each thread's part of the signature */
static pthread_barrier_t race_start;     /* nobody is through before the last has come */

static inline uint32_t race_mix(uint32_t a, uint32_t b) {
  uint32_t x = a * 2654435761u ^ (b << 13 | b >> 19);
  return x ^ x >> 15;
}

static inline void race_note(unsigned me, uint32_t seen) {
  race_seen[me] = race_mix(race_seen[me] + 1, seen);
}

struct race_member {
  void (*run)(unsigned me);
  unsigned me;
};

static inline void *race_enter(void *member) {
  pthread_barrier_wait(&race_start);
  ((struct race_member *)member)->run(((struct race_member *)member)->me);
  return NULL;
}

/* Runs run(0) … run(threads - 1) in threads of their own and prints the signature, with more that the caller has seen. */
static inline int race_run(int argc, char **argv, unsigned rounds, void (*run)(unsigned me),
                           uint32_t (*more)(void)) {
  pthread_t ids[RACE_THREADS];
  struct race_member members[RACE_THREADS];
  race_rounds = rounds;
  if (argc > 1) race_threads = (unsigned)atoi(argv[1]);
  if (argc > 2) race_rounds = (unsigned)atoi(argv[2]);
  CHECK(race_threads >= 1 && race_threads <= RACE_THREADS);
  CHECK(!pthread_barrier_init(&race_start, NULL, race_threads));
  for (unsigned i = 0; i < race_threads; i++) {
    members[i] = (struct race_member){run, i};
    CHECK(!pthread_create(&ids[i], NULL, race_enter, &members[i]));
  }
  for (unsigned i = 0; i < race_threads; i++) CHECK(!pthread_join(ids[i], NULL));
  uint32_t signature = more ? more() : 0;
  for (unsigned i = 0; i < race_threads; i++) signature = race_mix(signature, race_seen[i]);
  printf("signature %08x\n", signature);
  return 0;
}

#endif

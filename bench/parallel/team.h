/* team.h: what the parallel kernels share: a team of threads, a barrier, work by ranges.
 *
 *     KERNEL [PERCENT [THREADS]]     percent of the usual amount of work, 100; threads, 2
 *
 * A kernel prints one line with a checksum that depends neither on the number of threads nor on how they
 * interleave, so that any two runs can be compared. Work is a fixed total that the threads divide. */
#ifndef REPRISE_BENCH_TEAM_H
#define REPRISE_BENCH_TEAM_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/kernel.h"

enum { TEAM_MAX = 64 };

static long team_percent = 100;
static int team_threads = 2;
static pthread_barrier_t team_barrier;

static inline void team_wait(void) {
  pthread_barrier_wait(&team_barrier);
}

/* The n-th part of [0, total): its first index and the one behind its last. */
static inline void team_part(int me, long total, long *from, long *to) {
  *from = total * me / team_threads;
  *to = total * (me + 1) / team_threads;
}

static inline long team_amount(long usual) {
  long amount = usual * team_percent / 100;
  return amount > 0 ? amount : 1;
}

/* A well-mixed number for an index: random input that any thread can make for itself. */
static inline uint64_t team_mix(uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static inline uint64_t team_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline void team_begin(int argc, char **argv) {
  if (argc > 1) team_percent = atol(argv[1]);
  if (argc > 2) team_threads = atoi(argv[2]);
  if (team_percent < 1 || team_threads < 1 || team_threads > TEAM_MAX) {
    fprintf(stderr, "usage: %s [PERCENT [THREADS, at most %d]]\n", argv[0], TEAM_MAX);
    exit(2);
  }
  pthread_barrier_init(&team_barrier, NULL, (unsigned)team_threads);
}

struct team_member {
  void (*work)(int me);
  int me;
};

static inline void *team_enter(void *member) {
  ((struct team_member *)member)->work(((struct team_member *)member)->me);
  return NULL;
}

/* Runs work(0) … work(threads - 1), the last of them in the calling thread. */
static inline void team_run(void (*work)(int me)) {
  pthread_t threads[TEAM_MAX];
  struct team_member members[TEAM_MAX];
  int last = team_threads - 1;
  for (int i = 0; i < last; i++) {
    members[i] = (struct team_member){work, i};
    if (pthread_create(&threads[i], NULL, team_enter, &members[i]) == 0) continue;
    perror("pthread_create");
    exit(1);
  }
  work(last);
  for (int i = 0; i < last; i++) pthread_join(threads[i], NULL);
}

#endif

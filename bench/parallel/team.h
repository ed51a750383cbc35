/* team.h: what the parallel kernels share: a team of threads, a barrier, work by ranges.
 *
 *     KERNEL [PERCENT [THREADS [SIZE]]]     percent of the usual number of repetitions, 100; threads, 2; how many times
 *                                           as large as usual the input is, 1
 *
 * A kernel prints one line with a checksum that depends neither on the number of threads nor on how they
 * interleave, so that any two runs can be compared; where that is not possible the kernel says so, and a replay prints the line of its
 * recording. Work is a fixed total that the threads divide. What threads write for themselves alone lies in cache lines of its own. */
#ifndef REPRISE_BENCH_TEAM_H
#define REPRISE_BENCH_TEAM_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../kernels/kernel.h"

enum { TEAM_MAX = 64, TEAM_LINE = 64 };

static long team_percent = 100, team_size = 1;
static int team_threads = 2;
_Alignas(TEAM_LINE) static pthread_barrier_t team_barrier;

/* A number for each member of the team. */
struct team_number {
  _Alignas(TEAM_LINE) uint64_t value;
};

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

/* The same of an algorithm that takes `more` times as many steps for the larger input as for the usual one. */
static inline long team_repeat(long usual, double more) {
  long amount = (long)((double)(usual * team_percent) / 100 * (double)team_size / more);
  return amount > 0 ? amount : 1;
}

/* Zeroes, from the start of a page. */
static inline void *team_array(size_t count, size_t each) {
  void *array = mmap(NULL, count * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (array != MAP_FAILED) return array;
  perror("mmap");
  exit(1);
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
  if (argc > 3) team_size = atol(argv[3]);
  if (team_percent < 1 || team_threads < 1 || team_threads > TEAM_MAX || team_size < 1 ||
      team_size > TEAM_MAX) {
    fprintf(stderr, "usage: %s [PERCENT [THREADS [SIZE]]], neither THREADS nor SIZE more than %d\n", argv[0],
            TEAM_MAX);
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

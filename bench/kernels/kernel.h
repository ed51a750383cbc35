/* What every kernel shares: how it is scaled, where its random numbers come from, how it reports.

   A kernel is one program with one hot loop. It takes an optional percentage (100 when absent) that
   multiplies its rounds, not its data, so a short run stresses the same caches as a long one. It prints
   one line, its name and a checksum of the work done, and that line must be the same natively and
   translated. Everything here is inline and off the hot path, except the random numbers. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Rounds to run: base scaled by the percentage in argv[1], at least one. */
static inline long kernel_rounds(int argc, char **argv, long base) {
  if (argc < 2) return base;
  char *end;
  long percent = strtol(argv[1], &end, 10);
  if (*end != '\0' || end == argv[1] || percent < 1 || percent > 100000) {
    fprintf(stderr, "usage: %s [PERCENT]  (1 to 100000, default 100)\n", argv[0]);
    exit(2);
  }
  long rounds = base * percent / 100;
  return rounds > 0 ? rounds : 1;
}

/* xorshift64*: small, fast, and the same sequence everywhere. The seed must not be zero. */
static inline uint64_t kernel_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * UINT64_C(0x2545f4914f6cdd1d);
}

static inline void *kernel_alloc(size_t size) {
  void *memory = malloc(size);
  if (!memory) {
    fprintf(stderr, "out of memory: %zu bytes\n", size);
    exit(1);
  }
  return memory;
}

static inline int kernel_report(const char *name, uint64_t checksum) {
  printf("%s %016" PRIx64 "\n", name, checksum);
  return 0;
}

#endif

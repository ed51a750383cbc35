/* radix.c: a parallel radix sort: local histograms, a prefix sum, scattered writes into a common array. */
#include "workload.h"

enum { DIGITS = 64, BITS = 6, MOST = 1 << 18 };
static uint32_t a[MOST], b[MOST];
static long histogram[MAX_THREADS][DIGITS];
static long count;

static void add_up(void) {
  long sum = 0;
  for (int d = 0; d < DIGITS; d++)
    for (long t = 0; t < threads; t++) {
      long here = histogram[t][d];
      histogram[t][d] = sum;
      sum += here;
    }
}

static void work(long me) {
  uint32_t *from = a, *to = b;
  long first = count * me / threads, last = count * (me + 1) / threads;
  for (int shift = 0; shift < 24; shift += BITS) {
    for (int d = 0; d < DIGITS; d++) histogram[me][d] = 0;
    for (long i = first; i < last; i++) histogram[me][from[i] >> shift & (DIGITS - 1)]++;
    pthread_barrier_wait(&all);
    if (me == 0) add_up();
    pthread_barrier_wait(&all);
    for (long i = first; i < last; i++) to[histogram[me][from[i] >> shift & (DIGITS - 1)]++] = from[i];
    pthread_barrier_wait(&all);
    uint32_t *other = from;
    from = to;
    to = other;
  }
}

int main(int argc, char **argv) {
  uint64_t state = 7, sum = 0;
  read_arguments(argc, argv);
  count = 2048 * scale > MOST ? MOST : 2048 * scale;
  for (long i = 0; i < count; i++) a[i] = (uint32_t)(next_random(&state) & 0xffffff);
  run_all();
  for (long i = 1; i < count; i++) {
    if (a[i - 1] > a[i]) return 1;
    sum = sum * 31 + a[i];
  }
  printf("%016lx\n", sum);
  return 0;
}

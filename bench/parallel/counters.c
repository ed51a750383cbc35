/* A histogram by each thread for itself, but with the counters of all threads side by side, eight to a line: nobody reads what
   others write, and yet every line goes to and fro. */
#include "team.h"

enum { BUCKETS = 16, ITEMS = 300000000, LOOPS = 4 };

static uint64_t *counters; /* bucket by bucket, and in each one number per thread */
static long items;

static void work(int me) {
  long from, to;
  team_part(me, items, &from, &to);
  for (long i = from; i < to; i++) {
    uint64_t value = (uint64_t)i;
    for (int k = 0; k < LOOPS; k++) value = team_mix(value);
    counters[value % BUCKETS * (uint64_t)team_threads + (uint64_t)me] += 1 + (value >> 60);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  items = team_amount(ITEMS) * team_size;
  counters = team_array((size_t)(BUCKETS * team_threads), sizeof *counters);
  team_run(work);
  uint64_t sum = 0;
  for (int bucket = 0; bucket < BUCKETS; bucket++) {
    uint64_t all = 0;
    for (int i = 0; i < team_threads; i++) all += counters[bucket * team_threads + i];
    sum = sum * 31 + all;
  }
  return kernel_report("counters", sum);
}

/* Radix sort of 2^20 keys, a byte a pass: private histograms, prefix sums over those of all threads, then a permutation that
   scatters writes over the whole array. */
#include "team.h"

enum { KEYS = 1 << 20, DIGITS = 256 };

static uint32_t *arrays[2];
_Alignas(TEAM_LINE) static uint32_t histogram[TEAM_MAX][DIGITS];
static long total, passes;
static struct team_number sums[TEAM_MAX];

static void count(int me, const uint32_t *keys, long from, long to, int shift) {
  memset(histogram[me], 0, sizeof histogram[me]);
  for (long i = from; i < to; i++) histogram[me][keys[i] >> shift & (DIGITS - 1)]++;
}

/* Where this thread's first key of each digit goes. */
static void place(int me, uint32_t start[DIGITS]) {
  uint32_t before = 0;
  for (int digit = 0; digit < DIGITS; digit++)
    for (int thread = 0; thread < team_threads; thread++) {
      if (thread == me) start[digit] = before;
      before += histogram[thread][digit];
    }
}

static void sort(int me, long from, long to) {
  for (int pass = 0; pass < 4; pass++) {
    const uint32_t *keys = arrays[pass & 1];
    uint32_t *out = arrays[~pass & 1], start[DIGITS];
    count(me, keys, from, to, pass * 8);
    team_wait();
    place(me, start);
    for (long i = from; i < to; i++) out[start[keys[i] >> pass * 8 & (DIGITS - 1)]++] = keys[i];
    team_wait();
  }
}

static void work(int me) {
  long from, to;
  team_part(me, total, &from, &to);
  for (long pass = 0; pass < passes; pass++) {
    for (long i = from; i < to; i++) arrays[0][i] = (uint32_t)team_mix((uint64_t)(i + pass * total));
    team_wait();
    sort(me, from, to);
    for (long i = from; i < to; i++) sums[me].value += (uint64_t)arrays[0][i] * (uint64_t)(i + 1);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  passes = team_amount(48);
  total = KEYS * team_size;
  for (int i = 0; i < 2; i++) arrays[i] = team_array((size_t)total, sizeof *arrays[i]);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < team_threads; i++) sum += sums[i].value;
  return kernel_report("radix_sort", sum);
}

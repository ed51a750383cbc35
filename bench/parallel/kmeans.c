/* k-means: points in shares, sums per cluster kept by each thread in its own rows and put together by all after a
   barrier. Whole numbers, so that the result does not depend on who adds first. */
#include "team.h"

enum { POINTS = 1 << 15, DIMENSIONS = 8, CLUSTERS = 24 };

static int32_t (*points)[DIMENSIONS];
_Alignas(TEAM_LINE) static int32_t centres[CLUSTERS][DIMENSIONS];
static struct {
  _Alignas(TEAM_LINE) int64_t sum[CLUSTERS][DIMENSIONS];
  int64_t count[CLUSTERS];
} partial[TEAM_MAX];
static long count_of_points, rounds;

static int nearest(const int32_t *point) {
  int64_t least = INT64_MAX;
  int best = 0;
  for (int c = 0; c < CLUSTERS; c++) {
    int64_t d = 0;
    for (int i = 0; i < DIMENSIONS; i++)
      d += (int64_t)(point[i] - centres[c][i]) * (point[i] - centres[c][i]);
    if (d < least) least = d, best = c;
  }
  return best;
}

static void gather(int me, long from, long to) {
  memset(&partial[me], 0, sizeof partial[me]);
  for (long p = from; p < to; p++) {
    int c = nearest(points[p]);
    for (int i = 0; i < DIMENSIONS; i++) partial[me].sum[c][i] += points[p][i];
    partial[me].count[c]++;
  }
}

static void combine(int me) {
  long from, to;
  team_part(me, CLUSTERS, &from, &to);
  for (long c = from; c < to; c++) {
    int64_t count = 0, sum[DIMENSIONS] = {0};
    for (int t = 0; t < team_threads; t++) {
      count += partial[t].count[c];
      for (int i = 0; i < DIMENSIONS; i++) sum[i] += partial[t].sum[c][i];
    }
    if (!count) continue;
    for (int i = 0; i < DIMENSIONS; i++) centres[c][i] = (int32_t)(sum[i] / count);
  }
}

static void work(int me) {
  long from, to;
  team_part(me, count_of_points, &from, &to);
  for (long round = 0; round < rounds; round++) {
    gather(me, from, to);
    team_wait();
    combine(me);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  rounds = team_amount(240);
  count_of_points = POINTS * team_size;
  points = team_array((size_t)count_of_points, sizeof *points);
  uint64_t random = 99;
  for (long p = 0; p < count_of_points; p++)
    for (int i = 0; i < DIMENSIONS; i++) points[p][i] = (int32_t)(kernel_random(&random) % 10000);
  for (int c = 0; c < CLUSTERS; c++) memcpy(centres[c], points[c * 997], sizeof centres[c]);
  team_run(work);
  uint64_t sum = 0;
  for (int c = 0; c < CLUSTERS; c++)
    for (int i = 0; i < DIMENSIONS; i++) sum = sum * 31 + (uint64_t)centres[c][i];
  return kernel_report("kmeans", sum);
}

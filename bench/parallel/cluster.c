/* Clustering of a stream: points arrive in batches, each thread finds the nearest of the centres so far for its share, and
   those too far from any become candidates, of which one thread makes new centres between barriers. */
#include "team.h"

enum { DIMENSIONS = 16, BATCH = 4096, CENTRES = 64, FAR = 700000 };

static int32_t points[BATCH][DIMENSIONS];
static int32_t centres[CENTRES][DIMENSIONS];
static uint32_t nearest[BATCH];
static int64_t distance[BATCH];
static int count = 1;
static long batches;
static uint64_t cost[TEAM_MAX];

static int64_t apart(const int32_t *a, const int32_t *b) {
  int64_t sum = 0;
  for (int i = 0; i < DIMENSIONS; i++) sum += (int64_t)(a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static void assign(long i) {
  distance[i] = INT64_MAX;
  for (int c = 0; c < count; c++) {
    int64_t d = apart(points[i], centres[c]);
    if (d < distance[i]) distance[i] = d, nearest[i] = (uint32_t)c;
  }
}

/* The first point that is too far from all becomes a centre, of a batch at most one: the same for any team. */
static void open_centre(void) {
  for (int i = 0; i < BATCH && count < CENTRES; i++) {
    if (distance[i] < FAR) continue;
    memcpy(centres[count++], points[i], sizeof centres[0]);
    return;
  }
}

static void work(int me) {
  long from, to;
  team_part(me, BATCH, &from, &to);
  for (long batch = 0; batch < batches; batch++) {
    for (long i = from; i < to; i++) {
      uint64_t random = team_mix((uint64_t)(batch * BATCH + i)) | 1;
      int base = (int)(random % 40) * 50;
      for (int d = 0; d < DIMENSIONS; d++) points[i][d] = base + (int32_t)(kernel_random(&random) % 300);
    }
    for (long i = from; i < to; i++) assign(i);
    team_wait();
    if (me == 0) open_centre();
    for (long i = from; i < to; i++) cost[me] += (uint64_t)distance[i] * (nearest[i] + 1);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  batches = team_amount(300);
  team_run(work);
  uint64_t sum = (uint64_t)count;
  for (int i = 0; i < team_threads; i++) sum += cost[i];
  return kernel_report("cluster", sum);
}

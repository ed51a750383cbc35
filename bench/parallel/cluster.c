/* Clustering of a stream: points arrive in batches, each thread finds the nearest of the centres so far for its share, and
   its first one that is too far from any is a candidate, of which one thread makes a new centre between barriers. */
#include "team.h"

enum { DIMENSIONS = 16, BATCH = 4096, CENTRES = 64, FAR = 700000 };

static int32_t (*points)[DIMENSIONS];
_Alignas(TEAM_LINE) static int32_t centres[CENTRES][DIMENSIONS];
static uint32_t *nearest;
static int64_t *distance;
static int count = 1;
static long batch_size, batches;
static struct team_number cost[TEAM_MAX], candidate[TEAM_MAX];

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

static long find_candidate(long from, long to) {
  while (from < to && distance[from] < FAR) from++;
  return from < to ? from : batch_size;
}

/* The first point that is too far from all becomes a centre, of a batch at most one: the same for any team. */
static void open_centre(void) {
  for (int member = 0; member < team_threads && count < CENTRES; member++) {
    if (candidate[member].value == (uint64_t)batch_size) continue;
    memcpy(centres[count++], points[candidate[member].value], sizeof centres[0]);
    return;
  }
}

static void work(int me) {
  long from, to;
  team_part(me, batch_size, &from, &to);
  for (long batch = 0; batch < batches; batch++) {
    for (long i = from; i < to; i++) {
      uint64_t random = team_mix((uint64_t)(batch * batch_size + i)) | 1;
      int base = (int)(random % 40) * 50;
      for (int d = 0; d < DIMENSIONS; d++) points[i][d] = base + (int32_t)(kernel_random(&random) % 300);
    }
    for (long i = from; i < to; i++) assign(i);
    candidate[me].value = (uint64_t)find_candidate(from, to);
    team_wait();
    if (me == 0) open_centre();
    for (long i = from; i < to; i++) cost[me].value += (uint64_t)distance[i] * (nearest[i] + 1);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  batches = team_amount(1200);
  batch_size = BATCH * team_size;
  points = team_array((size_t)batch_size, sizeof *points);
  nearest = team_array((size_t)batch_size, sizeof *nearest);
  distance = team_array((size_t)batch_size, sizeof *distance);
  team_run(work);
  uint64_t sum = (uint64_t)count;
  for (int i = 0; i < team_threads; i++) sum += cost[i].value;
  return kernel_report("cluster", sum);
}

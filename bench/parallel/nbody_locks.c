/* Molecules that push each other, as in SPLASH-2's water: each thread works through its pairs and sums up in a table of its own what
   it finds, then adds that to all molecules, each under a lock, its own first. Whole numbers, so that the order does not
   matter. */
#include "team.h"

enum { MOLECULES = 512, NEAR = 64 };

struct molecule {
  int64_t position[3], velocity[3], force[3];
};
static struct molecule *molecules;
static pthread_mutex_t *locks;
static int64_t (*pushes[TEAM_MAX])[3]; /* of each thread */
static long count, steps;

static void interact(long a, int64_t (*push)[3]) {
  for (int n = 1; n <= NEAR; n++) {
    long b = (a + n * n) % count;
    int64_t delta[3], squared = 1000;
    for (int k = 0; k < 3; k++) {
      delta[k] = molecules[a].position[k] - molecules[b].position[k];
      squared += delta[k] * delta[k] >> 8;
    }
    for (int k = 0; k < 3; k++) {
      int64_t force = delta[k] * 65536 / squared;
      push[a][k] += force;
      push[b][k] -= force;
    }
  }
}

static void add(long which, const int64_t force[3]) {
  pthread_mutex_lock(&locks[which]);
  for (int k = 0; k < 3; k++) molecules[which].force[k] += force[k];
  pthread_mutex_unlock(&locks[which]);
}

static void move(struct molecule *m) {
  for (int k = 0; k < 3; k++) {
    m->velocity[k] += m->force[k] >> 6;
    m->position[k] = (m->position[k] + (m->velocity[k] >> 6)) & 0xfffff;
    m->force[k] = 0;
  }
}

static void work(int me) {
  long from, to;
  team_part(me, count, &from, &to);
  for (long step = 0; step < steps; step++) {
    memset(pushes[me], 0, (size_t)count * sizeof *pushes[me]);
    for (long i = from; i < to; i++) interact(i, pushes[me]);
    for (long i = from; i < from + count; i++) add(i % count, pushes[me][i % count]);
    team_wait();
    for (long i = from; i < to; i++) move(&molecules[i]);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  steps = team_amount(1800);
  count = MOLECULES * team_size;
  molecules = team_array((size_t)count, sizeof *molecules);
  locks = team_array((size_t)count, sizeof *locks);
  for (int i = 0; i < team_threads; i++) pushes[i] = team_array((size_t)count, sizeof *pushes[i]);
  for (long i = 0; i < count; i++) pthread_mutex_init(&locks[i], NULL);
  for (long i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      molecules[i].position[k] = (int64_t)(team_mix((uint64_t)(i * 3 + k)) & 0xfffff);
  team_run(work);
  uint64_t sum = 0;
  for (long i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) sum = sum * 31 + (uint64_t)molecules[i].position[k];
  return kernel_report("nbody_locks", sum);
}

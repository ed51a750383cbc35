/* Molecules that push each other: each thread works through pairs and adds forces, in whole numbers so that the order does not
   matter, to both molecules under a lock of their own. */
#include "team.h"

enum { MOLECULES = 512, LOCKS = 64, NEAR = 64 };

struct molecule {
  int64_t position[3], velocity[3], force[3];
};
static struct molecule molecules[MOLECULES];
static pthread_mutex_t locks[LOCKS];
static long steps;

static void add(int which, const int64_t force[3], int64_t sign) {
  pthread_mutex_t *lock = &locks[which % LOCKS];
  pthread_mutex_lock(lock);
  for (int k = 0; k < 3; k++) molecules[which].force[k] += sign * force[k];
  pthread_mutex_unlock(lock);
}

/* What acts on one molecule is summed up first and added once; what acts on the others is added now and then. */
static void interact(int a) {
  int64_t own[3] = {0};
  for (int n = 1; n <= NEAR; n++) {
    int b = (a + n * n) % MOLECULES;
    int64_t delta[3], squared = 1000, push[3];
    for (int k = 0; k < 3; k++) {
      delta[k] = molecules[a].position[k] - molecules[b].position[k];
      squared += delta[k] * delta[k] >> 8;
    }
    for (int k = 0; k < 3; k++) own[k] += push[k] = delta[k] * 65536 / squared;
    if (n % 8 == 0) add(b, push, -1);
  }
  add(a, own, 1);
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
  team_part(me, MOLECULES, &from, &to);
  for (long step = 0; step < steps; step++) {
    for (long i = from; i < to; i++) interact((int)i);
    team_wait();
    for (long i = from; i < to; i++) move(&molecules[i]);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  steps = team_amount(1200);
  for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], NULL);
  for (int i = 0; i < MOLECULES; i++)
    for (int k = 0; k < 3; k++)
      molecules[i].position[k] = (int64_t)(team_mix((uint64_t)(i * 3 + k)) & 0xfffff);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < MOLECULES; i++)
    for (int k = 0; k < 3; k++) sum = sum * 31 + (uint64_t)molecules[i].position[k];
  return kernel_report("nbody_locks", sum);
}

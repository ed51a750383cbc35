/* bodies.c: particles that attract each other: pairs are dealt out, forces add up in common cells, each under its own lock. In whole numbers, so that the
   order of additions does not matter. */
#include "workload.h"

enum { BODIES = 96 };
static struct body {
  pthread_mutex_t lock;
  int64_t x, y, vx, vy, fx, fy;
} body[BODIES];

static void push(struct body *b, int64_t fx, int64_t fy) {
  pthread_mutex_lock(&b->lock);
  b->fx += fx;
  b->fy += fy;
  pthread_mutex_unlock(&b->lock);
}

static void attract(struct body *a, struct body *b) {
  int64_t dx = b->x - a->x, dy = b->y - a->y, d = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy) + 16;
  if (d > 40000) return;
  push(a, dx * 64 / d, dy * 64 / d);
  push(b, -dx * 64 / d, -dy * 64 / d);
}

static void work(long me) {
  for (long step = 0; step < scale; step++) {
    for (long i = me; i < BODIES; i += threads)
      for (long j = i + 1; j < BODIES; j++) attract(&body[i], &body[j]);
    pthread_barrier_wait(&all);
    for (long i = me; i < BODIES; i += threads) {
      struct body *b = &body[i];
      b->vx += b->fx, b->vy += b->fy, b->fx = b->fy = 0;
      b->x += b->vx, b->y += b->vy;
    }
    pthread_barrier_wait(&all);
  }
}

int main(int argc, char **argv) {
  uint64_t state = 3, digest = 0;
  read_arguments(argc, argv);
  for (int i = 0; i < BODIES; i++) {
    pthread_mutex_init(&body[i].lock, NULL);
    body[i].x = (int64_t)(next_random(&state) % 65536);
    body[i].y = (int64_t)(next_random(&state) % 65536);
  }
  run_all();
  for (int i = 0; i < BODIES; i++) digest = digest * 31 + (uint64_t)(body[i].x ^ body[i].y << 20);
  printf("%016lx\n", digest);
  return 0;
}

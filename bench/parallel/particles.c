/* A fluid of particles in cells, as in PARSEC's fluidanimate: each thread has a slab of cells. Densities and forces are added to
   both particles of a pair, so what belongs to the cells at the border of a slab is added under a lock of the cell. Then particles
   move, and those that leave their cell are put into another, which may be another thread's. Whole numbers, so that the order
   does not matter; the sum at the end does not depend on where in its cell a particle lies. */
#include "team.h"

enum { WIDTH = 12, HEIGHT = 12, DEPTH = 32, FULL = 32, PARTICLES = 12288, EDGE = 1024, REACH = 900 };

struct particle {
  int32_t position[3], velocity[3], force[3], density;
};

struct cell {
  int count;
  struct particle particles[FULL];
};

static struct cell *cells, *next_cells;
static pthread_mutex_t *locks;
static long depth, steps;

static long cell_at(long x, long y, long z) {
  return (z * HEIGHT + y) * WIDTH + x;
}

static long layer_of(long cell) {
  return cell / (WIDTH * HEIGHT);
}

/* True if another thread, too, works on the cell. */
static int at_border(int me, long cell) {
  long from, to;
  team_part(me, depth, &from, &to);
  return layer_of(cell) <= from || layer_of(cell) >= to - 1;
}

static void add(int me, long cell, struct particle *particle, int32_t density, const int32_t force[3]) {
  int locked = at_border(me, cell);
  if (locked) pthread_mutex_lock(&locks[cell]);
  particle->density += density;
  for (int k = 0; k < 3; k++) particle->force[k] += force[k];
  if (locked) pthread_mutex_unlock(&locks[cell]);
}

static void interact(int me, long cell, struct particle *a, long other, struct particle *b) {
  int32_t delta[3], force[3], back[3];
  int64_t squared = 0;
  for (int k = 0; k < 3; k++) {
    delta[k] = a->position[k] - b->position[k];
    squared += (int64_t)delta[k] * delta[k];
  }
  if (squared >= (int64_t)REACH * REACH) return;
  int32_t density = (int32_t)(((int64_t)REACH * REACH - squared) >> 12);
  for (int k = 0; k < 3; k++) {
    force[k] = delta[k] * density / 256; /* the same, whichever of the two is the first */
    back[k] = -force[k];
  }
  add(me, cell, a, density, force);
  add(me, other, b, density, back);
}

/* All pairs of a cell with itself and with those neighbours that come behind it. */
static void interact_cell(int me, long x, long y, long z) {
  long here = cell_at(x, y, z);
  struct cell *cell = &cells[here];
  for (int i = 0; i < cell->count; i++)
    for (int j = 0; j < i; j++) interact(me, here, &cell->particles[i], here, &cell->particles[j]);
  for (int way = 14; way < 27; way++) {
    long nx = x + way % 3 - 1, ny = y + way / 3 % 3 - 1, nz = z + way / 9 - 1;
    if (nx < 0 || nx >= WIDTH || ny < 0 || ny >= HEIGHT || nz < 0 || nz >= depth) continue;
    long there = cell_at(nx, ny, nz);
    for (int i = 0; i < cell->count; i++)
      for (int j = 0; j < cells[there].count; j++)
        interact(me, here, &cell->particles[i], there, &cells[there].particles[j]);
  }
}

static int32_t bounded(int32_t value, int32_t limit, int32_t *velocity) {
  if (value >= 0 && value < limit) return value;
  *velocity = -*velocity / 2;
  return value < 0 ? 0 : limit - 1;
}

static void move(struct particle *particle) {
  int32_t limits[3] = {WIDTH * EDGE, HEIGHT * EDGE, (int32_t)depth * EDGE};
  for (int k = 0; k < 3; k++) {
    int32_t push = particle->force[k] / (particle->density / 64 + 16);
    particle->velocity[k] = (particle->velocity[k] * 15 + push) / 16;
    particle->position[k] =
        bounded(particle->position[k] + particle->velocity[k], limits[k], &particle->velocity[k]);
    particle->force[k] = 0;
  }
  particle->density = 0;
}

/* A particle for which its cell has no room stays out of the next steps; which one it is would depend on the interleaving, so the
   cells are made large enough. */
static void put(struct particle particle) {
  long at = cell_at(particle.position[0] / EDGE, particle.position[1] / EDGE, particle.position[2] / EDGE);
  pthread_mutex_lock(&locks[at]);
  struct cell *cell = &next_cells[at];
  if (cell->count == FULL) {
    fprintf(stderr, "particles: a cell is full\n");
    exit(1);
  }
  cell->particles[cell->count++] = particle;
  pthread_mutex_unlock(&locks[at]);
}

static void work(int me) {
  long from, to;
  team_part(me, depth, &from, &to);
  for (long step = 0; step < steps; step++) {
    for (long z = from; z < to; z++)
      for (long y = 0; y < HEIGHT; y++)
        for (long x = 0; x < WIDTH; x++) interact_cell(me, x, y, z);
    team_wait();
    for (long cell = from * WIDTH * HEIGHT; cell < to * WIDTH * HEIGHT; cell++) {
      for (int i = 0; i < cells[cell].count; i++) {
        move(&cells[cell].particles[i]);
        put(cells[cell].particles[i]);
      }
      cells[cell].count = 0;
    }
    team_wait();
    if (me == 0) {
      struct cell *swapped = cells;
      cells = next_cells;
      next_cells = swapped;
    }
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  depth = DEPTH * team_size;
  steps = team_amount(240);
  size_t count = (size_t)(WIDTH * HEIGHT * depth);
  cells = team_array(count, sizeof *cells);
  next_cells = team_array(count, sizeof *next_cells);
  locks = team_array(count, sizeof *locks);
  for (size_t i = 0; i < count; i++) pthread_mutex_init(&locks[i], NULL);
  for (long i = 0; i < PARTICLES * team_size; i++) {
    struct particle particle = {0};
    for (int k = 0; k < 3; k++)
      particle.position[k] =
          (int32_t)(team_mix((uint64_t)(i * 3 + k)) % (uint64_t)((k == 2 ? depth : WIDTH) * EDGE));
    struct cell *cell = &cells[cell_at(particle.position[0] / EDGE, particle.position[1] / EDGE,
                                       particle.position[2] / EDGE)];
    if (cell->count < FULL) cell->particles[cell->count++] = particle;
  }
  team_run(work);
  uint64_t sum = 0;
  for (size_t at = 0; at < count; at++)
    for (int i = 0; i < cells[at].count; i++)
      for (int k = 0; k < 3; k++)
        sum += team_mix((uint64_t)cells[at].particles[i].position[k] * 3 + (uint64_t)k) * (at + 1);
  return kernel_report("particles", sum);
}

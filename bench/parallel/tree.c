/* Bodies that attract each other, by Barnes and Hut: in every step all threads insert their bodies into one octree, each cell
   under its lock, sum up the cells from below, and walk the tree for the forces on their own bodies, which they then move. So all
   threads read cells that others made, and bodies of one owner lie in space, and in lines, between those of others. Whole numbers,
   so that the order of insertion does not matter: which cells there are depends on the bodies alone. */
#include <math.h>
#include <stdatomic.h>

#include "team.h"

enum { BODIES = 6144, SPACE_BITS = 20, LEAF_BODIES = 8, CHILDREN = 8, LOCKS = 1024, NEAR = 4096 };

struct body {
  int64_t position[3], velocity[3], force[3];
  int32_t next; /* body in the same leaf, or -1 */
};

struct cell {
  _Atomic int32_t child[CHILDREN]; /* 0: none */
  int32_t bodies;                  /* the first one of a leaf, or -1 */
  int32_t count;                   /* of the bodies in a leaf */
  _Atomic int32_t leaf;
  int32_t bits; /* its edge is 1 << bits */
  int64_t mass, centre[3];
};

static struct body *bodies;
static struct cell *cells;
static pthread_mutex_t *locks;
static struct team_number made[TEAM_MAX]; /* cells of each thread */
static long count, per_thread, steps;

static int octant(const struct cell *cell, const struct body *body) {
  int which = 0;
  for (int k = 0; k < 3; k++) which |= (int)(body->position[k] >> (cell->bits - 1) & 1) << k;
  return which;
}

/* Cell 0 is no cell, cell 1 the root. */
static int32_t new_cell(int me, int bits) {
  if (made[me].value == (uint64_t)per_thread) {
    fprintf(stderr, "tree: no more cells\n");
    exit(1);
  }
  int32_t index = (int32_t)(2 + me * per_thread + (long)made[me].value++);
  struct cell *cell = &cells[index];
  memset(cell, 0, sizeof *cell);
  cell->bodies = -1;
  cell->bits = bits;
  atomic_store_explicit(&cell->leaf, 1, memory_order_relaxed);
  return index;
}

static void put(struct cell *leaf, int32_t which) {
  bodies[which].next = leaf->bodies;
  leaf->bodies = which;
  leaf->count++;
}

/* Under the leaf's lock. What is below it is complete before others may see that it is no leaf any more. */
static void split(int me, struct cell *cell) {
  int32_t next;
  for (int32_t which = cell->bodies; which >= 0; which = next) {
    next = bodies[which].next;
    int at = octant(cell, &bodies[which]);
    int32_t child = atomic_load_explicit(&cell->child[at], memory_order_relaxed);
    if (child == 0) {
      child = new_cell(me, cell->bits - 1);
      atomic_store_explicit(&cell->child[at], child, memory_order_relaxed);
    }
    put(&cells[child], which);
  }
  cell->bodies = -1;
  cell->count = 0;
  for (int at = 0; at < CHILDREN; at++) {
    int32_t child = atomic_load_explicit(&cell->child[at], memory_order_relaxed);
    if (child != 0 && cells[child].count > LEAF_BODIES && cells[child].bits > 1) split(me, &cells[child]);
  }
  atomic_store_explicit(&cell->leaf, 0, memory_order_release);
}

/* One level down, or into a leaf: then true. */
static int insert_at(int me, int32_t *at, int32_t which) {
  struct cell *cell = &cells[*at];
  int branch = octant(cell, &bodies[which]);
  if (atomic_load_explicit(&cell->leaf, memory_order_acquire) == 0) {
    int32_t child = atomic_load_explicit(&cell->child[branch], memory_order_acquire);
    if (child != 0) {
      *at = child;
      return 0;
    }
  }
  pthread_mutex_t *lock = &locks[*at % LOCKS];
  pthread_mutex_lock(lock);
  int inserted = 0;
  if (atomic_load_explicit(&cell->leaf, memory_order_relaxed)) {
    put(cell, which);
    if (cell->count > LEAF_BODIES && cell->bits > 1) split(me, cell);
    inserted = 1;
  } else if (atomic_load_explicit(&cell->child[branch], memory_order_relaxed) == 0) {
    int32_t child = new_cell(me, cell->bits - 1);
    put(&cells[child], which);
    atomic_store_explicit(&cell->child[branch], child, memory_order_release);
    inserted = 1;
  }
  pthread_mutex_unlock(lock);
  return inserted;
}

static void insert(int me, int32_t which) {
  int32_t at = 1;
  while (!insert_at(me, &at, which)) {
  }
}

static void sum_up(struct cell *cell) {
  int64_t sums[3] = {0};
  for (int32_t which = cell->bodies; which >= 0; which = bodies[which].next) {
    cell->mass++;
    for (int k = 0; k < 3; k++) sums[k] += bodies[which].position[k];
  }
  for (int at = 0; at < CHILDREN; at++) {
    if (cell->child[at] == 0) continue;
    struct cell *child = &cells[cell->child[at]];
    sum_up(child);
    cell->mass += child->mass;
    for (int k = 0; k < 3; k++) sums[k] += child->centre[k] * child->mass;
  }
  for (int k = 0; k < 3; k++) cell->centre[k] = sums[k] / cell->mass;
}

/* The branches of the root's children are divided among the threads; the top is summed up by one. */
static void sum_branches(int me) {
  int branch = 0;
  for (int a = 0; a < CHILDREN; a++) {
    if (cells[1].child[a] == 0) continue;
    struct cell *child = &cells[cells[1].child[a]];
    for (int b = 0; b < CHILDREN; b++)
      if (child->child[b] != 0 && branch++ % team_threads == me) sum_up(&cells[child->child[b]]);
  }
}

static void sum_top(struct cell *cell, int depth) {
  if (depth == 2) return;
  if (cell->leaf) {
    sum_up(cell);
    return;
  }
  int64_t sums[3] = {0};
  for (int at = 0; at < CHILDREN; at++) {
    if (cell->child[at] == 0) continue;
    struct cell *child = &cells[cell->child[at]];
    sum_top(child, depth + 1);
    cell->mass += child->mass;
    for (int k = 0; k < 3; k++) sums[k] += child->centre[k] * child->mass;
  }
  for (int k = 0; k < 3; k++) cell->centre[k] = sums[k] / cell->mass;
}

static void pull(struct body *body, const int64_t *centre, int64_t mass) {
  int64_t delta[3], squared = NEAR;
  for (int k = 0; k < 3; k++) {
    delta[k] = centre[k] - body->position[k];
    squared += delta[k] * delta[k] >> 8;
  }
  for (int k = 0; k < 3; k++) body->force[k] += delta[k] * mass * 1024 / squared;
}

static void attract(struct body *body, const struct cell *cell) {
  int64_t squared = 0;
  for (int k = 0; k < 3; k++) {
    int64_t delta = cell->centre[k] - body->position[k];
    squared += delta * delta;
  }
  if ((INT64_C(1) << 2 * cell->bits) < squared) { /* far away: one heavy body */
    pull(body, cell->centre, cell->mass);
    return;
  }
  for (int32_t which = cell->bodies; which >= 0; which = bodies[which].next)
    if (&bodies[which] != body) pull(body, bodies[which].position, 1);
  for (int at = 0; at < CHILDREN; at++)
    if (cell->child[at] != 0) attract(body, &cells[cell->child[at]]);
}

static void move(struct body *body) {
  for (int k = 0; k < 3; k++) {
    body->velocity[k] += body->force[k] >> 4;
    body->position[k] = (body->position[k] + (body->velocity[k] >> 4)) & ((1 << SPACE_BITS) - 1);
    body->force[k] = 0;
  }
}

static void work(int me) {
  for (long step = 0; step < steps; step++) {
    made[me].value = 0;
    if (me == 0) {
      memset(&cells[1], 0, sizeof cells[1]);
      cells[1].bodies = -1;
      cells[1].bits = SPACE_BITS;
      cells[1].leaf = 1;
    }
    team_wait();
    for (long i = me; i < count; i += team_threads) insert(me, (int32_t)i);
    team_wait();
    sum_branches(me);
    team_wait();
    if (me == 0) sum_top(&cells[1], 0);
    team_wait();
    for (long i = me; i < count; i += team_threads) attract(&bodies[i], &cells[1]);
    team_wait();
    for (long i = me; i < count; i += team_threads) move(&bodies[i]);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  count = BODIES * team_size;
  steps = team_repeat(160, (double)team_size * log((double)count) / log(BODIES));
  per_thread = count + 1024;
  bodies = team_array((size_t)count, sizeof *bodies);
  cells = team_array((size_t)(2 + team_threads * per_thread), sizeof *cells);
  locks = team_array(LOCKS, sizeof *locks);
  for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], NULL);
  for (long i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      bodies[i].position[k] = (int64_t)(team_mix((uint64_t)(i * 3 + k)) & ((1 << SPACE_BITS) - 1));
  team_run(work);
  uint64_t sum = 0;
  for (long i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) sum = sum * 31 + (uint64_t)bodies[i].position[k];
  return kernel_report("tree", sum);
}

/* A ray tracer: spheres over a plane, tiles of the picture handed out by a queue behind a lock. Much private work, a
   scene that all threads read, few conflicts. */
#include <math.h>

#include "team.h"

enum { WIDTH = 640, HEIGHT = 480, TILE = 32, SPHERES = 24, DEPTH = 4 };

struct vector {
  double x, y, z;
};
struct sphere {
  struct vector centre;
  double radius, mirror, shade;
};
static struct sphere spheres[SPHERES];
_Alignas(TEAM_LINE) static uint32_t picture[HEIGHT][WIDTH]; /* a tile has cache lines of its own */
static long next_tile, tiles;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;

static struct vector along(struct vector from, struct vector by, double t) {
  return (struct vector){from.x + by.x * t, from.y + by.y * t, from.z + by.z * t};
}
static double dot(struct vector a, struct vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static struct vector unit(struct vector v) {
  return along((struct vector){0, 0, 0}, v, 1 / sqrt(dot(v, v)));
}

static const struct sphere *nearest(struct vector from, struct vector by, double *distance) {
  const struct sphere *hit = NULL;
  for (int i = 0; i < SPHERES; i++) {
    struct vector to = along(spheres[i].centre, from, -1);
    double b = dot(to, by), squared = b * b - dot(to, to) + spheres[i].radius * spheres[i].radius;
    if (squared < 0) continue;
    double t = b - sqrt(squared);
    if (t > 1e-6 && t < *distance) *distance = t, hit = &spheres[i];
  }
  return hit;
}

static double trace(struct vector from, struct vector by) {
  double light = 0, weight = 1;
  for (int depth = 0; depth < DEPTH; depth++) {
    double t = 1e9;
    const struct sphere *hit = nearest(from, by, &t);
    if (!hit) {
      if (by.y >= 0) return light + weight * (0.3 + 0.5 * by.y);
      struct vector ground = along(from, by, (-2 - from.y) / by.y);
      long squares = (long)floor(ground.x) + (long)floor(ground.z);
      return light + weight * (squares & 1 ? 0.2 : 0.7);
    }
    from = along(from, by, t);
    struct vector normal = unit(along(from, hit->centre, -1));
    double lit = dot(normal, (struct vector){0.48, 0.64, -0.6});
    light += weight * (1 - hit->mirror) * hit->shade * (lit > 0 ? lit : 0.05);
    weight *= hit->mirror;
    by = along(by, normal, -2 * dot(by, normal));
  }
  return light;
}

static void tile(long number) {
  long across = WIDTH / TILE, x0 = number % across * TILE, y0 = number / across % (HEIGHT / TILE) * TILE;
  for (long y = y0; y < y0 + TILE; y++)
    for (long x = x0; x < x0 + TILE; x++) {
      struct vector by = unit((struct vector){(double)(x - WIDTH / 2), (double)(HEIGHT / 2 - y), WIDTH});
      double light = trace((struct vector){0, 0, -12}, by);
      picture[y][x] = (uint32_t)(light >= 1 ? 255 : light * 255) * 0x10101;
    }
}

static void work(int me) {
  (void)me;
  for (;;) {
    pthread_mutex_lock(&queue);
    long number = next_tile++;
    pthread_mutex_unlock(&queue);
    if (number >= tiles) return;
    tile(number);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  tiles = team_amount((long)WIDTH * HEIGHT / TILE / TILE * 24) * team_size;
  uint64_t random = 12345;
  for (int i = 0; i < SPHERES; i++)
    spheres[i] = (struct sphere){.centre = {(double)(kernel_random(&random) % 1200) / 100 - 6,
                                            (double)(kernel_random(&random) % 600) / 100 - 2,
                                            (double)(kernel_random(&random) % 1000) / 100},
                                 .radius = 0.5 + (double)(kernel_random(&random) % 100) / 100,
                                 .mirror = (double)(kernel_random(&random) % 70) / 100,
                                 .shade = 0.3 + (double)(kernel_random(&random) % 70) / 100};
  team_run(work);
  uint64_t sum = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) sum = sum * 31 + picture[y][x] % 256;
  return kernel_report("raytrace", sum);
}

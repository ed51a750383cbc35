/* Red-black relaxation, as SPLASH-2's ocean does it over grids that are not contiguous: arrays of pointers to rows of an odd length,
   allocated one by one, and square parts of the grid for the threads. Parts share lines along both of their borders. */
#include <math.h>

#include "team.h"

enum { SIZE = 513 };

static double **grid, **forcing;
static struct team_number residual[TEAM_MAX];
static long rows, steps;
static int part_rows = 1, part_columns;

static void part_of(long me, long parts, long total, long *from, long *to) {
  *from = 1 + total * me / parts;
  *to = 1 + total * (me + 1) / parts;
}

/* The sum of all changes, in units so large that it does not matter in which order they are added. */
static uint64_t relax(long me, int colour) {
  long top, bottom, left, right;
  uint64_t changes = 0;
  part_of(me / part_columns, part_rows, rows - 2, &top, &bottom);
  part_of(me % part_columns, part_columns, SIZE - 2, &left, &right);
  for (long i = top; i < bottom; i++)
    for (long j = left + ((i + left + colour) & 1); j < right; j += 2) {
      double change = (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4 +
                      forcing[i][j] - grid[i][j];
      grid[i][j] += 0.9 * change;
      changes += (uint64_t)(fabs(change) * 1024);
    }
  return changes;
}

static void work(int me) {
  for (long step = 0; step < steps; step++)
    for (int colour = 0; colour < 2; colour++) {
      residual[me].value += relax(me, colour);
      team_wait();
    }
}

static double **make_grid(int seed) {
  double **made = kernel_alloc((size_t)rows * sizeof *made);
  for (long i = 0; i < rows; i++) {
    made[i] = kernel_alloc(SIZE * sizeof **made);
    for (int j = 0; j < SIZE; j++)
      made[i][j] = (double)(team_mix((uint64_t)(i * SIZE + j + seed)) % 100) / (seed ? 100 : 1);
  }
  return made;
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  steps = team_amount(2400);
  rows = (SIZE - 2) * team_size + 2;
  for (int side = 1; side * side <= team_threads; side++)
    if (team_threads % side == 0) part_columns = side;
  part_rows = team_threads / part_columns;
  grid = make_grid(0);
  forcing = make_grid(7);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < team_threads; i++) sum += residual[i].value;
  for (long i = 0; i < rows; i++)
    for (int j = 0; j < SIZE; j++) sum = sum * 31 + team_bits(grid[i][j]);
  return kernel_report("grid_rows", sum);
}

/* A five-point stencil over a grid, red points and black points in turn, in bands of rows: threads share the rows at the
   borders of their bands and meet at a barrier after each half step. */
#include "team.h"

enum { SIZE = 770 };

static double (*grid)[SIZE];
static long rows, steps;

static void half_step(long from, long to, int colour) {
  for (long i = from; i < to; i++)
    for (long j = 1 + ((i + colour) & 1); j < SIZE - 1; j += 2)
      grid[i][j] +=
          0.8 * ((grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4 - grid[i][j]);
}

static void work(int me) {
  long from, to;
  team_part(me, rows - 2, &from, &to);
  for (long step = 0; step < steps; step++)
    for (int colour = 0; colour < 2; colour++) {
      half_step(from + 1, to + 1, colour);
      team_wait();
    }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  steps = team_amount(1200);
  rows = (SIZE - 2) * team_size + 2;
  grid = team_array((size_t)rows, sizeof *grid);
  for (long i = 0; i < rows; i++)
    for (int j = 0; j < SIZE; j++) grid[i][j] = (double)(team_mix((uint64_t)(i * SIZE + j)) % 100);
  team_run(work);
  uint64_t sum = 0;
  for (long i = 0; i < rows; i++)
    for (int j = 0; j < SIZE; j++) sum = sum * 31 + team_bits(grid[i][j]);
  return kernel_report("ocean", sum);
}

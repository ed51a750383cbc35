/* LU decomposition as in lu.c, but the matrix is one row-major array, sixteen bytes off a line: tiles of neighbours share lines at
   their borders, and a tile is sixteen pieces of as many rows. The tile of the diagonal is decomposed between two barriers. */
#include <math.h>

#include "team.h"

enum { SIZE = 384, TILE = 16, OFF_LINE = 2 };

static double *original, *matrix;
static long side, passes;
static int owner_rows = 1, owner_columns;

static int mine(int me, long row, long column) {
  return row % owner_rows * owner_columns + column % owner_columns == me;
}

/* The tile's first element; its rows are `side` elements apart. */
static double *tile(long row, long column) {
  return matrix + row * TILE * side + column * TILE;
}

static void diagonal(double *a) {
  for (int i = 0; i < TILE; i++)
    for (int j = i + 1; j < TILE; j++) {
      double factor = a[j * side + i] /= a[i * side + i];
      for (int c = i + 1; c < TILE; c++) a[j * side + c] -= factor * a[i * side + c];
    }
}

static void row_tile(double *a, const double *pivot) {
  for (int i = 0; i < TILE; i++)
    for (int j = i + 1; j < TILE; j++)
      for (int c = 0; c < TILE; c++) a[j * side + c] -= pivot[j * side + i] * a[i * side + c];
}

static void column_tile(double *a, const double *pivot) {
  for (int j = 0; j < TILE; j++)
    for (int i = 0; i < TILE; i++) {
      double factor = a[j * side + i] /= pivot[i * side + i];
      for (int c = i + 1; c < TILE; c++) a[j * side + c] -= factor * pivot[i * side + c];
    }
}

static void inner_tile(double *a, const double *left, const double *above) {
  for (int j = 0; j < TILE; j++)
    for (int i = 0; i < TILE; i++) {
      double factor = left[j * side + i];
      for (int c = 0; c < TILE; c++) a[j * side + c] -= factor * above[i * side + c];
    }
}

static void step(int me, long k) {
  long tiles = side / TILE;
  if (mine(me, k, k)) diagonal(tile(k, k));
  team_wait();
  for (long t = k + 1; t < tiles; t++) {
    if (mine(me, k, t)) row_tile(tile(k, t), tile(k, k));
    if (mine(me, t, k)) column_tile(tile(t, k), tile(k, k));
  }
  team_wait();
  for (long r = k + 1; r < tiles; r++)
    for (long c = k + 1; c < tiles; c++)
      if (mine(me, r, c)) inner_tile(tile(r, c), tile(r, k), tile(k, c));
  team_wait();
}

static void copy_tile(long row, long column) {
  for (int i = 0; i < TILE; i++)
    memcpy(tile(row, column) + i * side, original + (row * TILE + i) * side + column * TILE,
           TILE * sizeof *matrix);
}

static void work(int me) {
  for (long pass = 0; pass < passes; pass++) {
    for (long r = 0; r < side / TILE; r++)
      for (long c = 0; c < side / TILE; c++)
        if (mine(me, r, c)) copy_tile(r, c);
    team_wait();
    for (long k = 0; k < side / TILE; k++) step(me, k);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  side = (long)(SIZE / TILE * sqrt((double)team_size)) * TILE;
  passes = team_repeat(144, pow((double)side / SIZE, 3));
  original = team_array((size_t)(side * side), sizeof *original);
  matrix = (double *)team_array((size_t)(side * side) + OFF_LINE, sizeof *matrix) + OFF_LINE;
  for (int rows = 1; rows * rows <= team_threads; rows++)
    if (team_threads % rows == 0) owner_rows = rows;
  owner_columns = team_threads / owner_rows;
  for (long i = 0; i < side; i++)
    for (long j = 0; j < side; j++)
      original[i * side + j] =
          (double)(team_mix((uint64_t)(i * side + j)) % 1000) / 1000 + (i == j ? (double)side : 0);
  team_run(work);
  uint64_t sum = 0;
  for (long i = 0; i < side * side; i++) sum = sum * 31 + team_bits(matrix[i]);
  return kernel_report("lu_rows", sum);
}

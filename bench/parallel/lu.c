/* LU decomposition of a dense matrix in blocks, as in SPLASH-2: a diagonal block, then its row and column, then the rest, with
   barriers between. The next diagonal block is decomposed with the rest, as soon as it can be. A block lies in one piece and belongs
   to one thread, which is the only one to write it; others read it. Owners are dealt out in both directions. */
#include <math.h>

#include "team.h"

enum { SIZE = 512, BLOCK = 16, BLOCKS = SIZE / BLOCK };

typedef double block[BLOCK][BLOCK];
static block *original, *matrix;
static long passes;
static int blocks;
static int owner_rows = 1, owner_columns;

static int mine(int me, int row, int column) {
  return row % owner_rows * owner_columns + column % owner_columns == me;
}

static block *at(block *blocks_of, int row, int column) {
  return &blocks_of[row * blocks + column];
}

static double *element(block *blocks_of, int i, int j) {
  return &(*at(blocks_of, i / BLOCK, j / BLOCK))[i % BLOCK][j % BLOCK];
}

static void diagonal(block a) {
  for (int i = 0; i < BLOCK; i++)
    for (int j = i + 1; j < BLOCK; j++) {
      double factor = a[j][i] /= a[i][i];
      for (int c = i + 1; c < BLOCK; c++) a[j][c] -= factor * a[i][c];
    }
}

/* A block of the diagonal's row. */
static void row_block(block a, block pivot) {
  for (int i = 0; i < BLOCK; i++)
    for (int j = i + 1; j < BLOCK; j++)
      for (int c = 0; c < BLOCK; c++) a[j][c] -= pivot[j][i] * a[i][c];
}

static void column_block(block a, block pivot) {
  for (int j = 0; j < BLOCK; j++)
    for (int i = 0; i < BLOCK; i++) {
      double factor = a[j][i] /= pivot[i][i];
      for (int c = i + 1; c < BLOCK; c++) a[j][c] -= factor * pivot[i][c];
    }
}

static void inner_block(block a, block left, block above) {
  for (int j = 0; j < BLOCK; j++)
    for (int i = 0; i < BLOCK; i++) {
      double factor = left[j][i];
      for (int c = 0; c < BLOCK; c++) a[j][c] -= factor * above[i][c];
    }
}

static void step(int me, int k) {
  block *pivot = at(matrix, k, k);
  for (int b = k + 1; b < blocks; b++) {
    if (mine(me, k, b)) row_block(*at(matrix, k, b), *pivot);
    if (mine(me, b, k)) column_block(*at(matrix, b, k), *pivot);
  }
  team_wait();
  for (int r = k + 1; r < blocks; r++)
    for (int c = k + 1; c < blocks; c++) {
      if (!mine(me, r, c)) continue;
      inner_block(*at(matrix, r, c), *at(matrix, r, k), *at(matrix, k, c));
      if (r == k + 1 && c == k + 1) diagonal(*at(matrix, r, c));
    }
  team_wait();
}

static void work(int me) {
  for (long pass = 0; pass < passes; pass++) {
    for (int r = 0; r < blocks; r++)
      for (int c = 0; c < blocks; c++)
        if (mine(me, r, c)) memcpy(at(matrix, r, c), at(original, r, c), sizeof(block));
    if (mine(me, 0, 0)) diagonal(*at(matrix, 0, 0));
    team_wait();
    for (int k = 0; k < blocks; k++) step(me, k);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  blocks = (int)(BLOCKS * sqrt((double)team_size));
  passes = team_repeat(32, pow((double)blocks / BLOCKS, 3));
  original = team_array((size_t)(blocks * blocks), sizeof *original);
  matrix = team_array((size_t)(blocks * blocks), sizeof *matrix);
  for (int rows = 1; rows * rows <= team_threads; rows++)
    if (team_threads % rows == 0) owner_rows = rows;
  owner_columns = team_threads / owner_rows;
  int side = blocks * BLOCK;
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++)
      *element(original, i, j) =
          (double)(team_mix((uint64_t)(i * side + j)) % 1000) / 1000 + (i == j ? side : 0);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) sum = sum * 31 + team_bits(*element(matrix, i, j));
  return kernel_report("lu", sum);
}

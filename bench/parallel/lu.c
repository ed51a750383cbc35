/* LU decomposition of a dense matrix in blocks, as in SPLASH-2: a diagonal block, then its row and column, then the rest, with
   barriers between. A block lies in one piece and belongs to one thread, which is the only one to write it; others read
   it. Owners are dealt out in both directions. */
#include "team.h"

enum { SIZE = 512, BLOCK = 16, BLOCKS = SIZE / BLOCK };

typedef double block[BLOCK][BLOCK];
_Alignas(64) static block original[BLOCKS][BLOCKS], matrix[BLOCKS][BLOCKS];
static long passes;
static int owner_rows = 1, owner_columns;

static int mine(int me, int row, int column) {
  return row % owner_rows * owner_columns + column % owner_columns == me;
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
  if (mine(me, k, k)) diagonal(matrix[k][k]);
  team_wait();
  for (int b = k + 1; b < BLOCKS; b++) {
    if (mine(me, k, b)) row_block(matrix[k][b], matrix[k][k]);
    if (mine(me, b, k)) column_block(matrix[b][k], matrix[k][k]);
  }
  team_wait();
  for (int r = k + 1; r < BLOCKS; r++)
    for (int c = k + 1; c < BLOCKS; c++)
      if (mine(me, r, c)) inner_block(matrix[r][c], matrix[r][k], matrix[k][c]);
  team_wait();
}

static void work(int me) {
  for (long pass = 0; pass < passes; pass++) {
    for (int r = 0; r < BLOCKS; r++)
      for (int c = 0; c < BLOCKS; c++)
        if (mine(me, r, c)) memcpy(matrix[r][c], original[r][c], sizeof(block));
    team_wait();
    for (int k = 0; k < BLOCKS; k++) step(me, k);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  passes = team_amount(16);
  for (int rows = 1; rows * rows <= team_threads; rows++)
    if (team_threads % rows == 0) owner_rows = rows;
  owner_columns = team_threads / owner_rows;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      original[i / BLOCK][j / BLOCK][i % BLOCK][j % BLOCK] =
          (double)(team_mix((uint64_t)(i * SIZE + j)) % 1000) / 1000 + (i == j ? SIZE : 0);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      sum = sum * 31 + team_bits(matrix[i / BLOCK][j / BLOCK][i % BLOCK][j % BLOCK]);
  return kernel_report("lu", sum);
}

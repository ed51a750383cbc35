/* LU decomposition of a dense matrix in blocks: a diagonal block, then its row and column, then the rest, with
   barriers between. Blocks belong to threads in turn, as on a chess board. */
#include "team.h"

enum { SIZE = 512, BLOCK = 16, BLOCKS = SIZE / BLOCK };

static double original[SIZE][SIZE], matrix[SIZE][SIZE];
static long passes;

static int mine(int me, int row, int column) {
  return (row * 7 + column) % team_threads == me;
}

static void diagonal(int k) {
  for (int i = k; i < k + BLOCK; i++)
    for (int j = i + 1; j < k + BLOCK; j++) {
      double factor = matrix[j][i] /= matrix[i][i];
      for (int c = i + 1; c < k + BLOCK; c++) matrix[j][c] -= factor * matrix[i][c];
    }
}

static void row_block(int k, int column) {
  for (int i = k; i < k + BLOCK; i++)
    for (int j = i + 1; j < k + BLOCK; j++)
      for (int c = column; c < column + BLOCK; c++) matrix[j][c] -= matrix[j][i] * matrix[i][c];
}

static void column_block(int k, int row) {
  for (int j = row; j < row + BLOCK; j++)
    for (int i = k; i < k + BLOCK; i++) {
      double factor = matrix[j][i] /= matrix[i][i];
      for (int c = i + 1; c < k + BLOCK; c++) matrix[j][c] -= factor * matrix[i][c];
    }
}

static void inner_block(int k, int row, int column) {
  for (int j = row; j < row + BLOCK; j++)
    for (int i = k; i < k + BLOCK; i++) {
      double factor = matrix[j][i];
      for (int c = column; c < column + BLOCK; c++) matrix[j][c] -= factor * matrix[i][c];
    }
}

static void step(int me, int k) {
  if (mine(me, k, k)) diagonal(k * BLOCK);
  team_wait();
  for (int b = k + 1; b < BLOCKS; b++) {
    if (mine(me, k, b)) row_block(k * BLOCK, b * BLOCK);
    if (mine(me, b, k)) column_block(k * BLOCK, b * BLOCK);
  }
  team_wait();
  for (int r = k + 1; r < BLOCKS; r++)
    for (int c = k + 1; c < BLOCKS; c++)
      if (mine(me, r, c)) inner_block(k * BLOCK, r * BLOCK, c * BLOCK);
  team_wait();
}

static void work(int me) {
  long from, to;
  team_part(me, SIZE, &from, &to);
  for (long pass = 0; pass < passes; pass++) {
    memcpy(matrix[from], original[from], sizeof matrix[0] * (size_t)(to - from));
    team_wait();
    for (int k = 0; k < BLOCKS; k++) step(me, k);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  passes = team_amount(16);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      original[i][j] = (double)(team_mix((uint64_t)(i * SIZE + j)) % 1000) / 1000 + (i == j ? SIZE : 0);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) sum = sum * 31 + team_bits(matrix[i][j]);
  return kernel_report("lu", sum);
}

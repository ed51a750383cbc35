/* lu.c: blocked LU decomposition of a dense matrix: after the kernel of the SPLASH-2 programs. Blocks have owners; barriers between steps. */
#include "workload.h"

enum { BLOCK = 8, MOST = 256 };
static double matrix[MOST][MOST];
static long size;

static int is_mine(long me, long i, long j) {
  return (i / BLOCK + j / BLOCK * 3) % threads == me;
}

static void factor(long k) {
  for (long i = k; i < k + BLOCK; i++)
    for (long j = i + 1; j < k + BLOCK; j++) {
      matrix[j][i] /= matrix[i][i];
      for (long l = i + 1; l < k + BLOCK; l++) matrix[j][l] -= matrix[j][i] * matrix[i][l];
    }
}

static void divide_column(long k, long i) {
  for (long c = k; c < k + BLOCK; c++)
    for (long r = i; r < i + BLOCK; r++) {
      matrix[r][c] /= matrix[c][c];
      for (long l = c + 1; l < k + BLOCK; l++) matrix[r][l] -= matrix[r][c] * matrix[c][l];
    }
}

static void modify_row(long k, long j) {
  for (long r = k; r < k + BLOCK; r++)
    for (long i = r + 1; i < k + BLOCK; i++)
      for (long c = j; c < j + BLOCK; c++) matrix[i][c] -= matrix[i][r] * matrix[r][c];
}

static void update(long k, long i, long j) {
  for (long r = i; r < i + BLOCK; r++)
    for (long l = k; l < k + BLOCK; l++)
      for (long c = j; c < j + BLOCK; c++) matrix[r][c] -= matrix[r][l] * matrix[l][c];
}

static void work(long me) {
  for (long k = 0; k < size; k += BLOCK) {
    if (is_mine(me, k, k)) factor(k);
    pthread_barrier_wait(&all);
    for (long i = k + BLOCK; i < size; i += BLOCK) {
      if (is_mine(me, i, k)) divide_column(k, i);
      if (is_mine(me, k, i)) modify_row(k, i);
    }
    pthread_barrier_wait(&all);
    for (long i = k + BLOCK; i < size; i += BLOCK)
      for (long j = k + BLOCK; j < size; j += BLOCK)
        if (is_mine(me, i, j)) update(k, i, j);
    pthread_barrier_wait(&all);
  }
}

int main(int argc, char **argv) {
  uint64_t state = 1;
  double sum = 0;
  read_arguments(argc, argv);
  size = 32 + 16 * scale > MOST ? MOST : 32 + 16 * scale;
  for (long i = 0; i < size; i++)
    for (long j = 0; j < size; j++)
      matrix[i][j] = (double)(next_random(&state) % 1000) / 1000 + (i == j ? (double)size : 0);
  run_all();
  for (long i = 0; i < size; i++) sum += matrix[i][i];
  printf("%.9f\n", sum);
  return 0;
}

/* Matrix multiply: c += a * b over rows, the order that walks memory forwards. Two loads and a store for
   each multiplication make this the worst case for anything that costs per access. */
#include "kernel.h"

static void multiply(double *c, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      double factor = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

/* Small integers as doubles: every sum is exact, so the checksum does not depend on rounding. */
static double *make_matrix(int n, uint64_t *random) {
  double *matrix = kernel_alloc(sizeof *matrix * (size_t)n * (size_t)n);
  for (int i = 0; i < n * n; i++) matrix[i] = (double)(kernel_random(random) % 64) - 32.0;
  return matrix;
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 40);
  int n = 320;
  uint64_t random = 362436069u;
  double *a = make_matrix(n, &random);
  double *b = make_matrix(n, &random);
  double *c = make_matrix(n, &random);

  for (long i = 0; i < rounds; i++) multiply(c, a, b, n);

  uint64_t sum = 0;
  for (int i = 0; i < n * n; i++) sum = sum * 31 + (uint64_t)(int64_t)c[i];
  free(a);
  free(b);
  free(c);
  return kernel_report("matmul", sum);
}

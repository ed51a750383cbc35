/* A complex Fourier transform of 2^18 points, forth and back, as a matrix of 512 by 512 in six steps, as in SPLASH-2: transpose,
   transform rows and turn them by their roots, transpose, transform rows, transpose. Each thread has a band of rows; to
   transpose, in patches as wide as a cache line, is to read from all others. */
#include <math.h>

#include "team.h"

enum { LOG = 9, SIDE = 1 << LOG, POINTS = SIDE * SIDE, PATCH = 4 };
static const double pi = 3.14159265358979323846;

struct complex {
  double re, im;
};
_Alignas(64) static struct complex data[2][SIDE][SIDE], turns[SIDE][SIDE], roots[SIDE / 2];
static long passes;

static struct complex times(struct complex a, struct complex b, double sign) {
  b.im *= sign;
  return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void patch(struct complex (*to)[SIDE], struct complex (*from)[SIDE], long row, long column) {
  for (long i = row; i < row + PATCH; i++)
    for (long j = column; j < column + PATCH; j++) to[i][j] = from[j][i];
}

/* Begins with what the next thread has, so that not all read from the same one. */
static void transpose(int me, struct complex (*to)[SIDE], struct complex (*from)[SIDE]) {
  long rows, end, first, last;
  team_part(me, SIDE / PATCH, &rows, &end);
  for (int n = 1; n <= team_threads; n++) {
    team_part((me + n) % team_threads, SIDE / PATCH, &first, &last);
    for (long i = rows; i < end; i++)
      for (long j = first; j < last; j++) patch(to, from, i * PATCH, j * PATCH);
  }
}

static void reorder(struct complex *row) {
  for (int i = 0, r = 0; i < SIDE; i++) {
    if (r > i) {
      struct complex t = row[i];
      row[i] = row[r];
      row[r] = t;
    }
    int bit = SIDE >> 1;
    for (; r & bit; bit >>= 1) r ^= bit;
    r |= bit;
  }
}

static void transform_row(struct complex *row, double sign) {
  reorder(row);
  for (int log = 0; log < LOG; log++) {
    int half = 1 << log;
    for (int base = 0; base < SIDE; base += 2 * half)
      for (int k = 0; k < half; k++) {
        struct complex *a = &row[base + k], *b = a + half;
        struct complex t = times(*b, roots[k << (LOG - 1 - log)], sign);
        *b = (struct complex){a->re - t.re, a->im - t.im};
        *a = (struct complex){a->re + t.re, a->im + t.im};
      }
  }
}

/* The result is in the other matrix. */
static void transform(int me, struct complex (*from)[SIDE], struct complex (*to)[SIDE], double sign) {
  long first, end;
  team_part(me, SIDE / PATCH, &first, &end);
  transpose(me, to, from);
  team_wait();
  for (long i = first * PATCH; i < end * PATCH; i++) {
    transform_row(to[i], sign);
    for (int j = 0; j < SIDE; j++) to[i][j] = times(to[i][j], turns[i][j], sign);
  }
  team_wait();
  transpose(me, from, to);
  team_wait();
  for (long i = first * PATCH; i < end * PATCH; i++) transform_row(from[i], sign);
  team_wait();
  transpose(me, to, from);
  team_wait();
}

static void work(int me) {
  long first, end;
  team_part(me, SIDE / PATCH, &first, &end);
  for (long pass = 0; pass < passes; pass++) {
    transform(me, data[0], data[1], 1);
    transform(me, data[1], data[0], -1);
    for (long i = first * PATCH; i < end * PATCH; i++)
      for (int j = 0; j < SIDE; j++) data[0][i][j].re /= POINTS, data[0][i][j].im /= POINTS;
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  passes = team_amount(40);
  for (int i = 0; i < SIDE / 2; i++)
    roots[i] = (struct complex){cos(2 * pi * i / SIDE), sin(2 * pi * i / SIDE)};
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      turns[i][j] = (struct complex){cos(2 * pi * i * j / POINTS), sin(2 * pi * i * j / POINTS)};
      data[0][i][j].re = (double)(team_mix((uint64_t)(i * SIDE + j)) % 1000);
    }
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) sum = sum * 31 + team_bits(data[0][i][j].re);
  return kernel_report("fft", sum);
}

/* A complex Fourier transform of 2^18 points, forth and back, as a matrix of 512 by 512 in six steps, as in SPLASH-2 (a larger one has
   four times as many): transpose,
   transform rows and turn them by their roots, transpose, transform rows, transpose. Each thread has a band of rows; to
   transpose, in patches as wide as a cache line, is to read from all others. */
#include <math.h>

#include "team.h"

enum { LOG = 9, PATCH = 4 };
static const double pi = 3.14159265358979323846;

struct complex {
  double re, im;
};
static struct complex *data[2], *turns, *roots; /* rows of `side` */
static long passes;
static int logarithm, side;

static struct complex times(struct complex a, struct complex b, double sign) {
  b.im *= sign;
  return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void patch(struct complex *to, const struct complex *from, long row, long column) {
  for (long i = row; i < row + PATCH; i++)
    for (long j = column; j < column + PATCH; j++) to[i * side + j] = from[j * side + i];
}

/* Begins with what the next thread has, so that not all read from the same one. */
static void transpose(int me, struct complex *to, const struct complex *from) {
  long rows, end, first, last;
  team_part(me, side / PATCH, &rows, &end);
  for (int n = 1; n <= team_threads; n++) {
    team_part((me + n) % team_threads, side / PATCH, &first, &last);
    for (long i = rows; i < end; i++)
      for (long j = first; j < last; j++) patch(to, from, i * PATCH, j * PATCH);
  }
}

static void reorder(struct complex *row) {
  for (int i = 0, r = 0; i < side; i++) {
    if (r > i) {
      struct complex t = row[i];
      row[i] = row[r];
      row[r] = t;
    }
    int bit = side >> 1;
    for (; r & bit; bit >>= 1) r ^= bit;
    r |= bit;
  }
}

static void transform_row(struct complex *row, double sign) {
  reorder(row);
  for (int log = 0; log < logarithm; log++) {
    int half = 1 << log;
    for (int base = 0; base < side; base += 2 * half)
      for (int k = 0; k < half; k++) {
        struct complex *a = &row[base + k], *b = a + half;
        struct complex t = times(*b, roots[k << (logarithm - 1 - log)], sign);
        *b = (struct complex){a->re - t.re, a->im - t.im};
        *a = (struct complex){a->re + t.re, a->im + t.im};
      }
  }
}

/* The result is in the other matrix. */
static void transform(int me, struct complex *from, struct complex *to, double sign) {
  long first, end;
  team_part(me, side / PATCH, &first, &end);
  transpose(me, to, from);
  team_wait();
  for (long i = first * PATCH; i < end * PATCH; i++) {
    struct complex *row = to + i * side, *turn = turns + i * side;
    transform_row(row, sign);
    for (int j = 0; j < side; j++) row[j] = times(row[j], turn[j], sign);
  }
  team_wait();
  transpose(me, from, to);
  team_wait();
  for (long i = first * PATCH; i < end * PATCH; i++) transform_row(from + i * side, sign);
  team_wait();
  transpose(me, to, from);
  team_wait();
}

static void work(int me) {
  long first, end, points = (long)side * side;
  team_part(me, side / PATCH, &first, &end);
  for (long pass = 0; pass < passes; pass++) {
    transform(me, data[0], data[1], 1);
    transform(me, data[1], data[0], -1);
    for (long i = first * PATCH * side; i < end * PATCH * side; i++)
      data[0][i].re /= points, data[0][i].im /= points;
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  logarithm = LOG;
  for (long size = team_size; size >= 4; size /= 4) logarithm++;
  side = 1 << logarithm;
  long points = (long)side * side;
  passes = team_repeat(40, (double)points / (1 << 2 * LOG));
  for (int i = 0; i < 2; i++) data[i] = team_array((size_t)points, sizeof *data[i]);
  turns = team_array((size_t)points, sizeof *turns);
  roots = team_array((size_t)side / 2, sizeof *roots);
  for (int i = 0; i < side / 2; i++)
    roots[i] = (struct complex){cos(2 * pi * i / side), sin(2 * pi * i / side)};
  for (long i = 0; i < points; i++) {
    double turn = 2 * pi * (double)(i / side) * (double)(i % side) / (double)points;
    turns[i] = (struct complex){cos(turn), sin(turn)};
    data[0][i].re = (double)(team_mix((uint64_t)i) % 1000);
  }
  team_run(work);
  uint64_t sum = 0;
  for (long i = 0; i < points; i++) sum = sum * 31 + team_bits(data[0][i].re);
  return kernel_report("fft", sum);
}

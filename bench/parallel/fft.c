/* A complex Fourier transform of 2^18 points, forth and back: butterflies over strides that grow until every thread
   reads what all others wrote, with a barrier after each stage. */
#include <math.h>

#include "team.h"

enum { LOG = 18, POINTS = 1 << LOG };
static const double pi = 3.14159265358979323846;

struct complex {
  double re, im;
};
static struct complex data[POINTS], roots[POINTS / 2];
static long passes;

static uint32_t reversed(uint32_t i) {
  uint32_t r = 0;
  for (int bit = 0; bit < LOG; bit++) r |= (i >> bit & 1) << (LOG - 1 - bit);
  return r;
}

/* Each pair is swapped by the thread that has its smaller index. */
static void reorder(int me) {
  long from, to;
  team_part(me, POINTS, &from, &to);
  for (long i = from; i < to; i++) {
    uint32_t r = reversed((uint32_t)i);
    if (r <= i) continue;
    struct complex t = data[i];
    data[i] = data[r];
    data[r] = t;
  }
}

static void stage(int me, int log, double sign) {
  long from, to, half = 1L << log;
  team_part(me, POINTS / 2, &from, &to);
  for (long i = from; i < to; i++) {
    long k = i & (half - 1), a = (i - k) * 2 + k, b = a + half;
    struct complex w = roots[k << (LOG - 1 - log)];
    w.im *= sign;
    struct complex t = {data[b].re * w.re - data[b].im * w.im, data[b].re * w.im + data[b].im * w.re};
    data[b] = (struct complex){data[a].re - t.re, data[a].im - t.im};
    data[a] = (struct complex){data[a].re + t.re, data[a].im + t.im};
  }
}

static void transform(int me, double sign) {
  reorder(me);
  team_wait();
  for (int log = 0; log < LOG; log++) {
    stage(me, log, sign);
    team_wait();
  }
}

static void work(int me) {
  long from, to;
  team_part(me, POINTS, &from, &to);
  for (long pass = 0; pass < passes; pass++) {
    transform(me, 1);
    transform(me, -1);
    for (long i = from; i < to; i++) data[i].re /= POINTS, data[i].im /= POINTS;
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  passes = team_amount(16);
  for (int i = 0; i < POINTS / 2; i++)
    roots[i] = (struct complex){cos(2 * pi * i / POINTS), sin(2 * pi * i / POINTS)};
  for (int i = 0; i < POINTS; i++) data[i].re = (double)(team_mix((uint64_t)i) % 1000);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < POINTS; i++) sum = sum * 31 + team_bits(data[i].re);
  return kernel_report("fft", sum);
}

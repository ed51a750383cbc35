/* estimates.c: means over seeds, with the interval in which the mean lies with 95% confidence (Student's t). */
#include <math.h>
#include <string.h>

#include "sim/figures/figures.h"

/* Of 1, 2, 3 … degrees of freedom. */
static double student(uint32_t freedom) {
  static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  enum { KNOWN = sizeof t / sizeof *t };
  return freedom <= KNOWN ? t[freedom - 1] : 1.96 + 2.4 / freedom;
}

struct estimate estimate_of(const double *values, uint32_t count) {
  double sum = 0, squares = 0;
  if (!count) return (struct estimate){0};
  for (uint32_t i = 0; i < count; i++) sum += values[i];
  double mean = sum / count;
  for (uint32_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
  double half = count > 1 ? student(count - 1) * sqrt(squares / (count - 1) / count) : 0;
  return (struct estimate){mean, half, count};
}

static double field_of(const struct figures_run *run, size_t field) {
  double value;
  memcpy(&value, (const char *)run + field, sizeof value);
  return value;
}

struct estimate figures_ratio(const struct figures *f, const char *program, struct measure a,
                              struct measure b) {
  double values[64];
  uint32_t count = 0;
  for (uint32_t seed = 1; seed <= f->request.seeds && count < 64; seed++) {
    const struct figures_run *x = figures_find(f, program, &a.pick, seed),
                             *y = figures_find(f, program, &b.pick, seed);
    if (x && y && field_of(y, b.field) > 0) values[count++] = field_of(x, a.field) / field_of(y, b.field);
  }
  return estimate_of(values, count);
}

bool estimate_is(const struct estimate *estimate, double value) {
  return fabs(estimate->mean - value) <= estimate->half + 1e-12;
}

/* Variable arguments, struct passing and returning, long double and many-argument calls. */
#include <complex.h>
#include <stdarg.h>

#include "check.h"

struct small {
  int a;
  float b;
};
struct mixed {
  double d;
  long l;
};
struct large {
  long v[10];
};

static __attribute__((noinline)) double sum(const char *types, ...) {
  va_list ap;
  double total = 0;
  va_start(ap, types);
  for (; *types; types++) {
    if (*types == 'i') total += va_arg(ap, int);
    if (*types == 'd') total += va_arg(ap, double);
    if (*types == 'l') total += (double)va_arg(ap, long double);
    if (*types == 's') total += va_arg(ap, struct small).b;
    if (*types == 'm') total += (double)va_arg(ap, struct mixed).l;
    if (*types == 'L') total += (double)va_arg(ap, struct large).v[9];
  }
  va_end(ap);
  return total;
}

static __attribute__((noinline)) struct large grow(struct large x, long k) {
  for (int i = 0; i < 10; i++) x.v[i] += k * i;
  return x;
}

static __attribute__((noinline)) struct mixed swap(struct mixed x) {
  return (struct mixed){(double)x.l, (long)x.d};
}

static __attribute__((noinline)) long many(int a, long b, short c, char d, double e, float f, long g, long h,
                                           long i, struct small j, double k, int l) {
  return a + b * 2 + c * 3 + d * 4 + (long)e * 5 + (long)f * 6 + g * 7 + h * 8 + i * 9 + j.a * 10 +
         (long)k * 11 + l * 12;
}

int main(void) {
  struct large big = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  printf("%.3f\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  printf("%.3f\n", sum("dididididididididididi", .5, 1, .5, 2, .5, 3, .5, 4, .5, 5, .5, 6, .5, 7, .5, 8, .5,
                       9, .5, 10, .5, 11));
  printf("%.3f\n", sum("slmLdi", (struct small){1, 2.5f}, 3.25L, (struct mixed){1, 9}, big, 0.125, 7));
  for (int i = 0; i < 1000; i++) big = grow(big, i % 7);
  struct mixed m = swap(swap(swap((struct mixed){17.9, 4})));
  printf("%ld %ld %.1f %ld\n", big.v[1], big.v[9], m.d, m.l);
  printf("%ld\n", many(1, 2, 3, 4, 5.5, 6.5f, 7, 8, 9, (struct small){10, 0}, 11.5, 12));
  double complex z = cexp(I * 1.0) * (2 + 3 * I);
  printf("%.6f %.6f\n", creal(z), cimag(z));
  char text[64];
  snprintf(text, sizeof text, "%d %s %.2f %c %lx %Lg", 1, "two", 3.0, '4', 5ul, 6.5L);
  puts(text);
  return 0;
}

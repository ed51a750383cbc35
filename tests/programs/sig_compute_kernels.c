/* Integer, float and string kernels give the same checksums with and without a signal every 150
 * microseconds. */
/* cflags: -lm */
#include "sys_helpers.h"
#include <math.h>

static volatile int ticks;

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  char text[64];
  volatile double x = ticks;
  snprintf(text, sizeof text, "%.3f %d", sqrt(x) * sin(x), ticks); /* uses vector and float registers */
  ticks++;
}

static unsigned long kernel(void) {
  static unsigned table[4096];
  unsigned long hash = 14695981039346656037UL;
  double real = 0.1, imaginary = 0.2;
  for (int i = 0; i < 4096; i++) table[i] = i * 2654435761u;
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 4096; i++) {
      unsigned j = table[i] >> 20;
      unsigned t = table[i];
      table[i] = table[j] ^ (t << 3 | t >> 29);
      table[j] = t + round;
      hash = (hash ^ table[i]) * 1099511628211UL;
      double next = real * real - imaginary * imaginary + 0.1;
      imaginary = 2 * real * imaginary - 0.3;
      real = next;
    }
    hash ^= (unsigned long)(real * 1e15) + (unsigned long)strlen((char *)memchr("abcdef", 'c', 6));
  }
  long double wide = 1;
  for (int i = 1; i < 2000; i++) wide = wide * 1.0001L + 1.0L / i;
  return hash ^ (unsigned long)(wide * 1e12L);
}

int main(void) {
  unsigned long expected = kernel();
  long wrong = 0;
  handle(SIGALRM, on_tick, SA_RESTART);
  tick_every(150);
  while (ticks < 600) wrong += kernel() != expected;
  tick_every(0);
  say("checksum %016lx, wrong %ld\n", expected, wrong);
  return 0;
}

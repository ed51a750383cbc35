/* Scalable vectors, where the machine has them: loops with predicates, first-fault loads, gathers, general registers of every
 * kind, and all of that while a timer interrupts. */
/* cflags: -march=armv8-a+sve */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "check.h"

enum { COUNT = 1000 };
static volatile sig_atomic_t ticks;

/* The handler changes vectors and predicates. */
static void tick(int signo) {
  (void)signo;
  ticks++;
  __asm__ volatile(
      "mov z0.b, #-1\n\tmov z1.b, #-1\n\tmov z30.b, #-1\n\tptrue p0.b\n\tpfalse p1.b\n\tptrue p2.s"
      :
      :
      : "z0", "z1", "z30", "p0", "p1", "p2");
}

/* y += a * x by words, x at x13, y at x14, index in x15, count in x18. */
static void multiply_add(const uint32_t *x, uint32_t *y, uint32_t a) {
  __asm__ volatile(
      "mov x13, %0\n\tmov x14, %1\n\tmov x15, #0\n\tmov x18, %3\n\tmov z30.s, %w2\n\t"
      "whilelo p1.s, x15, x18\n"
      "1: ld1w z0.s, p1/z, [x13, x15, lsl #2]\n\tld1w z1.s, p1/z, [x14, x15, lsl #2]\n\t"
      "movprfx z2, z0\n\tmul z2.s, p1/m, z2.s, z30.s\n\tadd z1.s, z1.s, z2.s\n\t"
      "st1w z1.s, p1, [x14, x15, lsl #2]\n\tincw x15\n\twhilelo p1.s, x15, x18\n\tb.first 1b"
      :
      : "r"(x), "r"(y), "r"(a), "r"((uint64_t)COUNT)
      : "x13", "x14", "x15", "x18", "cc", "memory", "z0", "z1", "z2", "z30", "p1");
}

/* The length of a string by loads that stop at the first fault. */
static size_t length_of(const char *text) {
  uint64_t length;
  __asm__ volatile(
      "mov x14, %1\n\tmov x15, #0\n\tptrue p0.b\n"
      "1: setffr\n\tldff1b z0.b, p0/z, [x14, x15]\n\trdffrs p1.b, p0/z\n\tb.nlast 2f\n\t"
      "cmpeq p2.b, p0/z, z0.b, #0\n\tincb x15\n\tb.none 1b\n\tdecb x15\n\tb 3f\n"
      "2: cmpeq p2.b, p1/z, z0.b, #0\n\tb.any 3f\n\tincp x15, p1.b\n\tb 1b\n"
      "3: brkb p2.b, p0/z, p2.b\n\tincp x15, p2.b\n\tmov %0, x15"
      : "=r"(length)
      : "r"(text)
      : "x14", "x15", "cc", "memory", "z0", "p0", "p1", "p2");
  return length;
}

static uint64_t gathered(const uint64_t *from) {
  uint64_t sum;
  __asm__ volatile(
      "mov x13, %1\n\tmov x14, #3\n\tptrue p0.d\n\tindex z0.d, #1, x14\n\tld1d z1.d, p0/z, [x13, z0.d, lsl "
      "#3]\n\t"
      "uaddv d2, p0, z1.d\n\tumov x15, v2.d[0]\n\tlastb x18, p0, z1.d\n\tcntd x13\n\t"
      "eor x15, x15, x18, ror #9\n\tmsub %0, x13, x13, x15"
      : "=r"(sum)
      : "r"(from)
      : "x13", "x14", "x15", "x18", "cc", "memory", "z0", "z1", "z2", "p0");
  return sum;
}

static uint64_t digest_of(const void *data, size_t bytes) {
  uint64_t digest = 1;
  for (size_t i = 0; i < bytes; i++) digest = (digest ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  return digest;
}

int main(void) {
  if (!(getauxval(AT_HWCAP) & HWCAP_SVE)) {
    printf("no scalable vectors here\n");
    return 0;
  }
  static uint32_t x[COUNT], y[COUNT], again[COUNT];
  static uint64_t table[4096];
  for (unsigned i = 0; i < COUNT; i++) x[i] = i * 2654435761u, y[i] = i;
  for (unsigned i = 0; i < 4096; i++) table[i] = i * 0x9e3779b97f4a7c15u;
  multiply_add(x, y, 12345);
  printf("multiplied %016lx\n", (unsigned long)digest_of(y, sizeof y));
  char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(end != MAP_FAILED && munmap(end + 4096, 4096) == 0);
  end += 4096;
  for (unsigned n = 0; n < 100; n++) {
    memset(end - 100, 'a', 99);
    end[-1] = 0;
    CHECK(length_of(end - n - 1) == n);
  }
  printf("lengths agree\n");
  printf("gathered %016lx\n", (unsigned long)gathered(table));
  struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  CHECK(signal(SIGALRM, tick) != SIG_ERR && setitimer(ITIMER_REAL, &often, NULL) == 0);
  bool same = true;
  while (ticks < 50) {
    for (unsigned i = 0; i < COUNT; i++) again[i] = i;
    multiply_add(x, again, 12345);
    same &= !memcmp(again, y, sizeof y) && length_of(end - 77) == 76;
  }
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  printf("undisturbed %d\n", same);
  return 0;
}

/* x87 arithmetic: stack, rounding and precision control, functions, integers, BCD, compares. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "digest.h"

static void show(const char *name, long double x) {
  unsigned char raw[10];
  memcpy(raw, &x, 10);
  printf("%s ", name);
  for (int i = 9; i >= 0; i--) printf("%02x", raw[i]);
  printf(" %.12Lg\n", x);
}

static void functions(void) {
  long double x = 0.7L, y, z;
  __asm__("fsin" : "=t"(y) : "0"(x));
  show("fsin", y);
  __asm__("fptan\nfxch" : "=t"(y), "=u"(z) : "0"(x));
  show("fptan", y);
  __asm__("fsincos" : "=t"(y), "=u"(z) : "0"(x));
  show("fcos", y);
  __asm__("fpatan" : "=t"(y) : "0"(x), "u"(2.5L) : "st(1)");
  show("fpatan", y);
  __asm__("f2xm1" : "=t"(y) : "0"(x));
  show("f2xm1", y);
  __asm__("fyl2x" : "=t"(y) : "0"(x), "u"(3.0L) : "st(1)");
  show("fyl2x", y);
  __asm__("fscale" : "=t"(y) : "0"(x), "u"(9.0L));
  show("fscale", y);
  __asm__("fsqrt" : "=t"(y) : "0"(x));
  show("fsqrt", y);
  __asm__("fprem" : "=t"(y) : "0"(17.25L), "u"(3.5L));
  show("fprem", y);
  __asm__("fldpi\nfldl2e\nfmulp\nfldlg2\nfaddp\nfldln2\nfsubrp" : "=t"(y));
  show("constants", y);
}

static void rounding(void) {
  static const uint16_t word[] = {0x037f, 0x077f, 0x0b7f, 0x0f7f, 0x007f, 0x027f};
  static const double values[] = {2.5, -2.5, 1e10 / 3, -7.75};
  for (int w = 0; w < 6; w++) {
    uint16_t saved;
    __asm__ volatile("fnstcw %0\nfldcw %1" : "=m"(saved) : "m"(word[w]));
    for (int i = 0; i < 4; i++) {
      int64_t n;
      long double third;
      __asm__ volatile("fldl %1\nfistpll %0" : "=m"(n) : "m"(values[i]));
      __asm__ volatile("fldl %1\nfldpi\nfdivrp" : "=&t"(third) : "m"(values[i]));
      digest((uint64_t)n);
      digest_bytes(&third, 10);
    }
    __asm__ volatile("fldcw %0" ::"m"(saved));
    digest_print("control word");
  }
}

static void conversions(void) {
  int16_t i16 = -1234;
  int32_t i32 = 7654321;
  unsigned char bcd[10];
  float f;
  double d;
  __asm__ volatile("filds %3\nfildl %4\nfmulp\nfld %%st(0)\nfstps %0\nfld %%st(0)\nfstpl %1\nfbstp %2"
                   : "=m"(f), "=m"(d), "=m"(bcd)
                   : "m"(i16), "m"(i32));
  printf("%.6g %.6g ", f, d);
  for (int i = 9; i >= 0; i--) printf("%02x", bcd[i]);
  puts("");
  static const double pairs[][2] = {{1, 2}, {2, 1}, {1, 1}, {1, __builtin_nan("")}};
  for (int i = 0; i < 4; i++) {
    unsigned char c, z, p;
    uint16_t sw;
    __asm__ volatile("fldl %4\nfldl %5\nfucomi %%st(1), %%st\nsetc %0\nsetz %1\nsetp %2\nfucompp\nfnstsw %3"
                     : "=qm"(c), "=qm"(z), "=qm"(p), "=am"(sw)
                     : "m"(pairs[i][1]), "m"(pairs[i][0])
                     : "cc");
    printf("compare %d%d%d %04x\n", c, z, p, sw & 0x4500);
  }
}

int main(void) {
  functions();
  rounding();
  conversions();
  return 0;
}

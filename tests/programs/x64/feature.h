/* feature.h: processor features that compilers have no common name for, asked of cpuid itself. */
#ifndef TESTS_PROGRAMS_X64_FEATURE_H
#define TESTS_PROGRAMS_X64_FEATURE_H

enum feature_register { FEATURE_EAX, FEATURE_EBX, FEATURE_ECX, FEATURE_EDX };

static inline int feature(unsigned leaf, enum feature_register in, int bit) {
  unsigned r[4];
  __asm__("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "0"(leaf), "2"(0));
  return r[in] >> bit & 1;
}

static inline int feature_movbe(void) {
  return feature(1, FEATURE_ECX, 22);
}

static inline int feature_lzcnt(void) {
  return feature(0x80000001, FEATURE_ECX, 5);
}

static inline int feature_adx(void) {
  return feature(7, FEATURE_EBX, 19);
}

#endif

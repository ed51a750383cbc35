/* All sixteen conditions, as jcc short and near, setcc and cmov of each size, under all flag combinations. */
/* cflags: -mno-red-zone */
#include <stdint.h>

#include "check.h"
#include "digest.h"

#define SET_FLAGS "push %1\npopf\n"

#define CONDITION(cc)                                                                                  \
  static uint64_t test_##cc(uint64_t flags) {                                                          \
    uint64_t r = 0, seen = 0x1111111111111111u;                                                        \
    __asm__ volatile(SET_FLAGS "j" #cc " 1f\njmp 2f\n1: or $1, %0\n2:" : "+r"(r) : "r"(flags) : "cc"); \
    __asm__ volatile(SET_FLAGS "j" #cc " 1f\njmp 2f\n.skip 300,0x90\n1: or $2, %0\n2:"                 \
                     : "+r"(r)                                                                         \
                     : "r"(flags)                                                                      \
                     : "cc");                                                                          \
    __asm__ volatile(SET_FLAGS "set" #cc " %b0" : "+q"(seen) : "r"(flags) : "cc");                     \
    r |= seen << 8;                                                                                    \
    __asm__ volatile(SET_FLAGS "cmov" #cc " %w2, %w0" : "+r"(seen) : "r"(flags), "r"(-1ul) : "cc");    \
    r += seen * 3;                                                                                     \
    __asm__ volatile(SET_FLAGS "cmov" #cc " %k2, %k0" : "+r"(seen) : "r"(flags), "r"(~3ul) : "cc");    \
    r += seen * 5;                                                                                     \
    __asm__ volatile(SET_FLAGS "cmov" #cc " %2, %0"                                                    \
                     : "+r"(seen)                                                                      \
                     : "r"(flags), "m"(digest_operands[12])                                            \
                     : "cc");                                                                          \
    return r + seen * 7;                                                                               \
  }

CONDITION(o);
CONDITION(no);
CONDITION(b);
CONDITION(ae);
CONDITION(e);
CONDITION(ne);
CONDITION(be);
CONDITION(a);
CONDITION(s);
CONDITION(ns);
CONDITION(p);
CONDITION(np);
CONDITION(l);
CONDITION(ge);
CONDITION(le);
CONDITION(g);

int main(void) {
  static const struct {
    const char *name;
    uint64_t (*run)(uint64_t);
  } test[] = {{"o", test_o}, {"no", test_no}, {"b", test_b},   {"ae", test_ae},
              {"e", test_e}, {"ne", test_ne}, {"be", test_be}, {"a", test_a},
              {"s", test_s}, {"ns", test_ns}, {"p", test_p},   {"np", test_np},
              {"l", test_l}, {"ge", test_ge}, {"le", test_le}, {"g", test_g}};
  for (int t = 0; t < 16; t++) {
    unsigned taken = 0;
    for (unsigned bits = 0; bits < 64; bits++) {
      uint64_t flags = 0x202 | (bits & 1 ? FLAG_C : 0) | (bits & 2 ? FLAG_P : 0) | (bits & 4 ? FLAG_A : 0) |
                       (bits & 8 ? FLAG_Z : 0) | (bits & 16 ? FLAG_S : 0) | (bits & 32 ? FLAG_O : 0);
      uint64_t r = test[t].run(flags), opposite = test[t ^ 1].run(flags);
      digest(r);
      taken += __builtin_popcountl(r != opposite);
    }
    CHECK(taken == 64); /* a condition and its negation never agree */
    digest_print(test[t].name);
  }
  return 0;
}

/* movs, stos, lods, cmps, scas: all sizes, with rep, backwards, overlapping, count 0. */
#include <stdint.h>

#include "check.h"
#include "digest.h"

static unsigned char from[256], to[256];

static void prepare(void) {
  for (int i = 0; i < 256; i++) from[i] = (unsigned char)(i * 37 + 11), to[i] = (unsigned char)(i / 3);
}

struct state {
  uint64_t rsi, rdi, rcx, rax, flags;
};

/* Runs one string instruction at the middle of the buffers and digests all it can have changed. */
#define RUN(insn, direction, count)                                                                        \
  do {                                                                                                     \
    prepare();                                                                                             \
    struct state s = {(uintptr_t)from + 128, (uintptr_t)to + 120, (count), 0x4141414141414141, 0};         \
    __asm__ volatile("xor %%edx, %%edx\n" direction "\n" insn "\ncld\nsetz %%dl\nsetc %%dh"                \
                     : "+S"(s.rsi), "+D"(s.rdi), "+c"(s.rcx), "+a"(s.rax), "=d"(s.flags)::"cc", "memory"); \
    digest(s.rsi - (uintptr_t)from);                                                                       \
    digest(s.rdi - (uintptr_t)to);                                                                         \
    digest(s.rcx);                                                                                         \
    digest(s.rax);                                                                                         \
    digest(s.flags & 0xffff);                                                                              \
    digest_bytes(to, sizeof to);                                                                           \
  } while (0)

#define ALL_COUNTS(insn)                \
  do {                                  \
    for (uint64_t n = 0; n < 12; n++) { \
      RUN(insn, "cld", n);              \
      RUN(insn, "std", n);              \
    }                                   \
    digest_print(insn);                 \
  } while (0)

static void overlapping(void) {
  for (int distance = -9; distance <= 9; distance++)
    for (int backwards = 0; backwards < 2; backwards++) {
      prepare();
      unsigned char *s = from + 100, *d = s + distance;
      unsigned long n = 20;
      if (backwards)
        __asm__ volatile("std\nrep movsb\ncld" : "+S"(s), "+D"(d), "+c"(n)::"memory", "cc");
      else
        __asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n)::"memory");
      digest_bytes(from, sizeof from);
    }
  digest_print("overlapping rep movsb");
}

int main(void) {
  ALL_COUNTS("movsb");
  ALL_COUNTS("movsw");
  ALL_COUNTS("movsl");
  ALL_COUNTS("movsq");
  ALL_COUNTS("rep movsb");
  ALL_COUNTS("rep movsw");
  ALL_COUNTS("rep movsl");
  ALL_COUNTS("rep movsq");
  ALL_COUNTS("rep stosb");
  ALL_COUNTS("rep stosw");
  ALL_COUNTS("rep stosl");
  ALL_COUNTS("rep stosq");
  ALL_COUNTS("rep lodsb");
  ALL_COUNTS("rep lodsq");
  ALL_COUNTS("cmpsb");
  ALL_COUNTS("scasl");
  overlapping();
  return 0;
}

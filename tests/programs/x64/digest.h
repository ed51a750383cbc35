/* digest.h: folds many results of one instruction into a number that is easily compared. */
#ifndef TESTS_PROGRAMS_X64_DIGEST_H
#define TESTS_PROGRAMS_X64_DIGEST_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The bits of the flags register that arithmetic defines: CF, PF, AF, ZF, SF, OF. */
enum { FLAG_C = 0x1, FLAG_P = 0x4, FLAG_A = 0x10, FLAG_Z = 0x40, FLAG_S = 0x80, FLAG_O = 0x800 };
enum { FLAGS_ALL = FLAG_C | FLAG_P | FLAG_A | FLAG_Z | FLAG_S | FLAG_O };

static uint64_t digest_value = 0xcbf29ce484222325u;

static inline void digest(uint64_t value) {
  digest_value = (digest_value ^ value) * 0x100000001b3u;
  digest_value ^= digest_value >> 29;
}

static inline void digest_bytes(const void *p, size_t n) {
  for (size_t i = 0; i < n; i++) digest(((const unsigned char *)p)[i]);
}

/* Prints the digest since the last call under a name. */
static inline void digest_print(const char *name) {
  printf("%s %016lx\n", name, (unsigned long)digest_value);
  digest_value = 0xcbf29ce484222325u;
}

/* Operands with interesting carries, signs and sizes. */
static const uint64_t digest_operands[] = {0,
                                           1,
                                           2,
                                           0x7f,
                                           0x80,
                                           0xff,
                                           0x7fff,
                                           0x8000,
                                           0xffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x123456789abcdef0u,
                                           0x7fffffffffffffffu,
                                           0x8000000000000000u,
                                           0xffffffffffffffffu};
enum { DIGEST_OPERANDS = sizeof digest_operands / sizeof digest_operands[0] };

#endif

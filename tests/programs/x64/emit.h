/* emit.h: x86-64 code by its bytes, for programs that generate some (jit.h). */
#ifndef TESTS_PROGRAMS_X64_EMIT_H
#define TESTS_PROGRAMS_X64_EMIT_H

#include "jit.h"

/* Appends the bytes of a string literal and returns the place after them. */
#define JIT_EMIT(p, literal) jit_bytes((p), literal, sizeof(literal) - 1)

/* The displacement, counted from its own end, of a branch that ends with it. */
static inline byte *jit_rel32(byte *p, const byte *target) {
  return jit_u32(p, (uint32_t)(target - (p + 4)));
}

#endif

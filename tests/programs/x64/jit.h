/* jit.h: the least a program needs to generate x86-64 code at run time. */
#ifndef TESTS_PROGRAMS_X64_JIT_H
#define TESTS_PROGRAMS_X64_JIT_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

typedef unsigned char byte;
typedef uint32_t (*jit_fn)(void);

enum { JIT_PAGE = 4096, JIT_CONSTANT_SIZE = 6 };

/* Maps `size` bytes that can be read, written and executed. */
static inline byte *jit_map(size_t size) {
  byte *p = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

/* Appends the bytes of a string literal and returns the place after them. */
#define JIT_EMIT(p, literal) jit_bytes((p), literal, sizeof(literal) - 1)

static inline byte *jit_bytes(byte *p, const char *bytes, size_t n) {
  memcpy(p, bytes, n);
  return p + n;
}

static inline byte *jit_u32(byte *p, uint32_t value) {
  memcpy(p, &value, 4);
  return p + 4;
}

/* The displacement, counted from its own end, of a branch that ends with it. */
static inline byte *jit_rel32(byte *p, const byte *target) {
  return jit_u32(p, (uint32_t)(target - (p + 4)));
}

/* mov eax, value; ret */
static inline byte *jit_constant(byte *p, uint32_t value) {
  return JIT_EMIT(jit_u32(JIT_EMIT(p, "\xb8"), value), "\xc3");
}

/* The barrier is there because the compiler does not know that a call reads the bytes of its target. */
static inline uint32_t jit_call(const byte *p) {
  __asm__ volatile("" : "+r"(p)::"memory");
  return ((jit_fn)(uintptr_t)p)();
}

/* What the manual asks of a thread before it executes code that another thread has written. */
static inline void jit_serialize(void) {
  uint32_t a = 0, b, c = 0, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)::"memory");
}

#endif

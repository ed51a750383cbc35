/* jit.h: the least a program needs to generate code at run time, on either instruction set. */
#ifndef TESTS_PROGRAMS_JIT_H
#define TESTS_PROGRAMS_JIT_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

typedef unsigned char byte;
typedef uint32_t (*jit_fn)(void);

enum { JIT_PAGE = 4096 };

/* Maps `size` bytes that can be read, written and executed. */
static inline byte *jit_map(size_t size) {
  byte *p = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

static inline byte *jit_bytes(byte *p, const void *bytes, size_t n) {
  memcpy(p, bytes, n);
  return p + n;
}

static inline byte *jit_u32(byte *p, uint32_t value) {
  return jit_bytes(p, &value, sizeof value);
}

/* The program says that it has written code: nothing on x86-64, where the processor notices. */
static inline void jit_announce(byte *start, byte *end) {
  __builtin___clear_cache((char *)start, (char *)end);
}

#if defined(__x86_64__)
/* The length of a function that returns a constant, what its address is a multiple of, and how far before the end of a page it may
 * begin to lie across. */
enum { JIT_CONSTANT_SIZE = 6, JIT_ALIGN = 1, JIT_ACROSS = 2 };

/* mov eax, value; ret */
static inline byte *jit_constant(byte *p, uint32_t value) {
  return jit_bytes(jit_u32(jit_bytes(p, "\xb8", 1), value), "\xc3", 1);
}

/* Another value for a constant, and nothing else of it written. */
static inline void jit_change(byte *p, uint32_t value) {
  jit_u32(p + 1, value);
}

/* What the manual asks of a thread before it executes code that another thread has written. */
static inline void jit_serialize(void) {
  uint32_t a = 0, b, c = 0, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)::"memory");
}
#else
enum { JIT_CONSTANT_SIZE = 12, JIT_ALIGN = 4, JIT_ACROSS = 4 };

/* movz w0, …; movk w0, …, lsl 16; ret */
static inline byte *jit_constant(byte *p, uint32_t value) {
  byte *end = jit_u32(p, 0x52800000u | (value & 0xffff) << 5);
  end = jit_u32(jit_u32(end, 0x72a00000u | value >> 16 << 5), 0xd65f03c0u);
  jit_announce(p, end);
  return end;
}

static inline void jit_change(byte *p, uint32_t value) {
  jit_constant(p, value);
}

static inline void jit_serialize(void) {
  __asm__ volatile("isb" ::: "memory");
}
#endif

/* The barrier is there because the compiler does not know that a call reads the bytes of its target. */
static inline uint32_t jit_call(const byte *p) {
  __asm__ volatile("" : "+r"(p)::"memory");
  return ((jit_fn)(uintptr_t)p)();
}

/* The same, for code that was written at another address, or by the kernel: only the program knows. */
static inline uint32_t jit_call_new(byte *p) {
  jit_announce(p, p + JIT_CONSTANT_SIZE);
  return jit_call(p);
}

#endif

/* syscall.h (x86-64): the primitives that need no context: a raw system call, bulk copies. */
#ifndef REPRISE_X64_SYSCALL_H
#define REPRISE_X64_SYSCALL_H

#ifdef __clang_analyzer__
/* The compiler does not know which memory the kernel writes; it assumes that an opaque function may write any. */
long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f);
#else
static inline long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#endif

static inline void arch_copy_bytes(void *to, const void *from, unsigned long bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static inline void arch_fill_bytes(void *to, int value, unsigned long bytes) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
}

/* The time in units of about 30 nanoseconds, and of about 30 microseconds, the same on all processors. */
static inline uint64_t arch_moments(void) {
  return __builtin_ia32_rdtsc() >> 6;
}
static inline uint64_t arch_ticks(void) {
  return __builtin_ia32_rdtsc() >> 16;
}

/* Prefetches a cache line for writing, so that a read before the write does not fetch it a first time. */
static inline void arch_expect_write(const void *line) {
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
}

/* While spinning. */
static inline void arch_relax(void) {
  __builtin_ia32_pause();
}

/* The machine as filters of system calls know it. */
#define ARCH_AUDIT AUDIT_ARCH_X86_64

/* The vDSO's names of the functions that the engine calls. */
#define ARCH_VDSO_CLOCK_GETTIME "__vdso_clock_gettime"
#define ARCH_VDSO_CLOCK_GETRES "__vdso_clock_getres"

#endif

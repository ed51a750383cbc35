/* syscall.h (AArch64): the primitives that need no context: a raw system call, bulk copies. */
#ifndef REPRISE_A64_SYSCALL_H
#define REPRISE_A64_SYSCALL_H

#ifdef __clang_analyzer__
/* The compiler does not know which memory the kernel writes; it assumes that an opaque function may write any. */
long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f);
#else
static inline long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = nr;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory", "cc");
  return x0;
}
#endif

void arch_copy_bytes(void *to, const void *from, unsigned long bytes);
void arch_fill_bytes(void *to, int value, unsigned long bytes);

/* The time in units of about 2^-log2 seconds, the same on all processors. */
static inline uint64_t arch_counts(unsigned log2) {
  uint64_t frequency, now;
  __asm__ volatile("mrs %0, cntfrq_el0; mrs %1, cntvct_el0" : "=r"(frequency), "=r"(now));
  return now / (frequency >> log2 | 1);
}

/* The time in units of about 30 nanoseconds, and of about 30 microseconds. */
static inline uint64_t arch_moments(void) {
  return arch_counts(25);
}
static inline uint64_t arch_ticks(void) {
  return arch_counts(15);
}

/* Prefetches a cache line for writing, so that a read before the write does not fetch it a first time. */
static inline void arch_expect_write(const void *line) {
  __asm__ volatile("prfm pstl1keep, %0" : : "Q"(*(const char *)line));
}

/* While spinning. */
static inline void arch_relax(void) {
  __asm__ volatile("yield");
}

/* The machine as filters of system calls know it. */
#define ARCH_AUDIT AUDIT_ARCH_AARCH64

/* The vDSO's names of the functions that the engine calls. */
#define ARCH_VDSO_CLOCK_GETTIME "__kernel_clock_gettime"
#define ARCH_VDSO_CLOCK_GETRES "__kernel_clock_getres"

#endif

/* Signed pointers: functions that sign their return addresses, calls through signed pointers, stripped ones, and what becomes
 * of a forged one. On a machine without, the instructions that are hints do nothing and the rest is not tried. */
/* cflags: -march=armv8.3-a -mbranch-protection=standard */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "check.h"

__attribute__((noinline)) static long recursive(long n) {
  return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

static long twice(long n) {
  return 2 * n;
}

#define SIGNED_CALL(name, sign, call)                                                                    \
  __attribute__((noinline)) static long name(long (*function)(long), long n) {                           \
    register long x0 __asm__("x0") = n;                                                                  \
    __asm__ volatile("mov x14, %1\n\tmov x15, #1234\n\tmov x9, sp\n\t" sign "\n\t" call                  \
                     : "+r"(x0)                                                                          \
                     : "r"(function)                                                                     \
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", \
                       "x14", "x15", "x16", "x17", "x18", "x30", "cc", "memory");                        \
    return x0;                                                                                           \
  }

SIGNED_CALL(call_a, "pacia x14, x15", "blraa x14, x15")
SIGNED_CALL(call_b, "pacib x14, sp", "blrab x14, sp")
SIGNED_CALL(call_a_zero, "paciza x14", "blraaz x14")
SIGNED_CALL(call_b_zero, "pacizb x14", "blrabz x14")
SIGNED_CALL(call_stripped, "pacia x14, x15\n\txpaci x14", "blr x14")
SIGNED_CALL(call_jump, "pacia x14, x9\n\tadr x30, 1f", "braa x14, x9\n1:")

static sigjmp_buf back;
static void refused(int signo) {
  (void)signo;
  siglongjmp(back, 1);
}

/* With few bits to sign with, one in a hundred is taken for a good one: several must not all be. */
static void forged(void) {
  struct sigaction action = {.sa_handler = refused};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGILL, &action, NULL) == 0 &&
        sigaction(SIGBUS, &action, NULL) == 0);
  if (sigsetjmp(back, 1)) {
    printf("forged: refused\n");
    return;
  }
  for (long modifier = 1; modifier <= 8; modifier++)
    __asm__ volatile(
        "mov x14, %0\n\tpacia x14, x14\n\teor x14, x14, #0x10000000000000\n\tmov x15, %1\n\tblraa x14, x15"
        :
        : "r"(twice), "r"(modifier)
        : "x0", "x14", "x15", "x30", "memory");
  printf("forged: accepted\n");
}

int main(void) {
  printf("recursive %ld\n", recursive(20));
  if (!(getauxval(AT_HWCAP) & HWCAP_PACA)) {
    printf("no signed pointers here\n");
    return 0;
  }
  printf("%ld %ld %ld %ld %ld %ld\n", call_a(twice, 1), call_b(twice, 2), call_a_zero(twice, 3),
         call_b_zero(twice, 4), call_stripped(twice, 5), call_jump(twice, 6));
  forged();
  return 0;
}

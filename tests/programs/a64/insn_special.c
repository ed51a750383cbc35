/* Registers of the system that programs read and write: flags, floating-point control, thread pointers, time that never goes
 * back, block zeroing; and instructions that are for the kernel alone. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#define READ(name)                                    \
  ({                                                  \
    uint64_t value_;                                  \
    __asm__ volatile("mrs %0, " name : "=r"(value_)); \
    value_;                                           \
  })
#define WRITE(name, value) __asm__ volatile("msr " name ", %0" : : "r"((uint64_t)(value)))

static sigjmp_buf back;
static void refused(int signo, siginfo_t *info, void *context) {
  (void)context;
  siglongjmp(back, signo | (info->si_code << 8));
}

#define TRY(text)                                                         \
  do {                                                                    \
    int result = sigsetjmp(back, 1);                                      \
    if (result == 0) {                                                    \
      __asm__ volatile(text : : : "x0", "memory");                        \
      printf("%s: runs\n", text);                                         \
    } else {                                                              \
      printf("%s: signal %d code %d\n", text, result & 255, result >> 8); \
    }                                                                     \
  } while (0)

int main(void) {
  uint64_t flags;
  __asm__ volatile("msr nzcv, %1\n\tmrs x14, nzcv\n\tmov %0, x14"
                   : "=r"(flags)
                   : "r"(0xa0000000UL)
                   : "x14", "cc");
  printf("flags %lx\n", (unsigned long)flags);
  WRITE("fpcr", 0x00c00000);
  printf("fpcr %lx\n", (unsigned long)READ("fpcr"));
  volatile double two = 2, three = 3;
  volatile double towards_zero = two / three;
  WRITE("fpcr", 0);
  printf("rounding shows: %d\n", towards_zero < two / three);
  WRITE("fpsr", 0);
  volatile float tiny = 1e-38f;
  tiny *= 1e-10f;
  printf("fpsr %lx\n", (unsigned long)READ("fpsr"));
  uint64_t thread = READ("tpidr_el0");
  printf("thread pointer kept: %d\n", thread == (uint64_t)__builtin_thread_pointer());
  uint64_t before = READ("cntvct_el0"), after = before;
  for (unsigned i = 0; i < 1000; i++) {
    uint64_t now = READ("cntvct_el0");
    CHECK(now >= after);
    after = now;
  }
  printf("frequency known: %d\n", READ("cntfrq_el0") > 0);
  uint64_t zeroing = READ("dczid_el0");
  if (!(zeroing & 16)) {
    static _Alignas(2048) char block[4096];
    memset(block, 1, sizeof block);
    __asm__ volatile("mov x15, %0\n\tdc zva, x15" : : "r"(block + 2048 + 5) : "x15", "memory");
    size_t zeros = 0;
    for (size_t i = 0; i < sizeof block; i++) zeros += !block[i];
    printf("block zeroing: %d\n", zeros == 4u << (zeroing & 15) && !block[2048]);
  } else {
    printf("block zeroing: 1\n");
  }
  struct sigaction action = {.sa_sigaction = refused, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGILL, &action, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0 &&
        sigaction(SIGSEGV, &action, NULL) == 0);
  TRY("hvc #0");
  TRY("smc #0");
  TRY("hlt #0");
  TRY("udf #7");
  TRY("brk #1");
  TRY("mrs x0, sctlr_el1");
  TRY("msr daifset, #2");
  TRY(".inst 0x00000123");
  TRY(".inst 0xffffffff");
  TRY("yield");
  TRY("isb");
  TRY("sev");
  TRY("dmb ish");
  return 0;
}

/* The three calls that the kernel performs at fixed addresses, made, jumped to and missed; where it has none, faults. */
#include <sys/time.h>
#include <time.h>

#include "sys_helpers.h"

#define PAGE_AT 0xffffffffff600000UL

static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context) {
  faults++;
  say("  SIG%s code %d address %lx pc %llx error %llx\n", sigabbrev_np(sig), info->si_code,
      (long)info->si_addr, REG(context, REG_RIP), REG(context, REG_ERR));
  REG(context, REG_RIP) = *(long *)REG(context, REG_RSP); /* as if it had returned */
  REG(context, REG_RSP) += 8;
}

/* Returns whether all registers but rax, and the stack, are as before. */
static int fixed_call(unsigned long offset, const void *first, const void *second, long *result) {
  unsigned long rcx = 0x1111, r11 = 0x2222, before, after;
  register unsigned long r11_in __asm__("r11") = r11;
  __asm__ volatile(
      "mov %%rsp, %[before]\n"
      "call *%[address]\n"
      "mov %%rsp, %[after]\n"
      : "=a"(*result), "+c"(rcx), "+r"(r11_in), [before] "=&r"(before), [after] "=&r"(after)
      : [address] "r"(PAGE_AT + offset), "D"(first), "S"(second), "d"(0)
      : "memory", "cc");
  return rcx == 0x1111 && r11_in == 0x2222 && before == after;
}

int main(void) {
  struct timeval now = {0};
  unsigned processor = 0xffffffff;
  long result;
  handle(SIGSEGV, on_fault, 0);
  for (int i = 0; i < 3; i++) {
    int kept = fixed_call(0, &now, NULL, &result);
    say("gettimeofday %d %d %d\n", kept, faults || result == 0,
        faults || labs(now.tv_sec - time(NULL)) < 1000);
    kept = fixed_call(0x400, NULL, NULL, &result);
    say("time %d %d\n", kept, faults || labs(result - time(NULL)) < 1000);
    kept = fixed_call(0x800, &processor, NULL, &result);
    say("getcpu %d %d %d\n", kept, faults || result == 0, faults || processor < 100000);
  }
  say("between\n");
  fixed_call(0x10, &now, NULL, &result);
  say("behind\n");
  fixed_call(0xc00, &now, NULL, &result);
  say("the next page\n");
  fixed_call(0x1000, &now, NULL, &result);
  say("faults %d\n", faults);
  return 0;
}

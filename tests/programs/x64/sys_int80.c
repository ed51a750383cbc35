/* int $0x80 from 64-bit code: the 32-bit call numbers, truncated arguments, upper registers; or a fault where absent. */
#include "sys_helpers.h"

static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig;
  faults++;
  say("  fault code %d error %llx\n", info->si_code, REG(context, REG_ERR));
  REG(context, REG_RIP) += 2;
}

static long old_call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c)
                   : "memory", "r8", "r9", "r10", "r11");
  return result;
}

int main(void) {
  handle(SIGSEGV, on_fault, 0);
  long pid = old_call(20, 0, 0, 0); /* getpid */
  say("getpid %d\n", faults ? -1 : pid == getpid());
  if (faults) return 0;
  say("close of a bad descriptor: %s\n", strerrorname_np((int)-(int)old_call(6, 999, 0, 0)));
  say("no such call: %s\n", strerrorname_np((int)-(int)old_call(9999, 0, 0, 0)));
  say("dup: %d\n", (int)old_call(41, 1, 0, 0) > 2);
  return 0;
}

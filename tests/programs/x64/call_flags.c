/* The flags are after a system call what they were before it: every combination of the status flags, alone and with the
 * direction and the identification flag, and with alignment checked. */
#include <sys/syscall.h>

#include "check.h"

static const unsigned long status[] = {1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11};
static const unsigned long others[] = {0, 1 << 10, 1 << 21, 1 << 18};
enum { STATUS = sizeof status / sizeof *status, OTHERS = sizeof others / sizeof *others };

static unsigned long across_call(unsigned long flags) {
  unsigned long after, result = SYS_getppid;
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\t" /* what lies below may be the compiler's */
      "push %[flags]\n\t"
      "popfq\n\t"
      "syscall\n\t"
      "pushfq\n\t"
      "pop %[after]\n\t"
      "push $0x202\n\t"
      "popfq\n\t"
      "lea 128(%%rsp), %%rsp"
      : [after] "=r"(after), "+a"(result)
      : [flags] "r"(flags)
      : "rcx", "r11", "memory", "cc");
  return after;
}

int main(void) {
  for (int other = 0; other < OTHERS; other++)
    for (int set = 0; set < 1 << STATUS; set++) {
      unsigned long flags = 0x202 | others[other];
      for (int i = 0; i < STATUS; i++) flags |= set >> i & 1 ? status[i] : 0;
      CHECK(across_call(flags) == flags);
    }
  puts("kept");
}

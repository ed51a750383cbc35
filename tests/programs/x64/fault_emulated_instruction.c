/* A handler as an emulator: ud2 followed by a number is a call the handler performs, 5,000 times in a
 * loop. */
#include "sys_helpers.h"

static volatile long performed;

static void on_illegal(int sig, siginfo_t *info, void *context) {
  unsigned char *pc = (unsigned char *)REG(context, REG_RIP);
  (void)sig;
  CHECK(info->si_addr == pc && pc[0] == 0x0f && pc[1] == 0x0b);
  performed++;
  if (pc[2] == 1) REG(context, REG_RAX) += REG(context, REG_RDX);
  if (pc[2] == 2) REG(context, REG_RAX) ^= REG(context, REG_RDX) << 7;
  if (pc[2] == 3)
    REG(context, REG_EFL) = (REG(context, REG_EFL) & ~0x40LL) | (REG(context, REG_RAX) & 1 ? 0x40 : 0);
  REG(context, REG_RIP) += 3;
}

int main(void) {
  unsigned long a = 1, expected = 1;
  long odd = 0, expected_odd = 0;
  handle(SIGILL, on_illegal, 0);
  for (unsigned long i = 0; i < 5000; i++) {
    unsigned char zero;
    __asm__ volatile("ud2\n .byte 1\n ud2\n .byte 2\n ud2\n .byte 3\n setz %1"
                     : "+a"(a), "=r"(zero)
                     : "d"(i)
                     : "cc");
    odd += zero;
    expected = (expected + i) ^ i << 7;
    expected_odd += expected & 1;
  }
  say("performed %ld, result right %d, flags right %d\n", performed, a == expected, odd == expected_odd);
  return 0;
}

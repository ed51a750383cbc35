/* Integer division: SIGFPE with FPE_INTDIV at the instruction, registers untouched, resumable. */
#include "sys_helpers.h"

extern char div_run[], div_at[], idiv_run[], idiv_at[], div8_run[], div8_at[];
__asm__(
    ".text\n"
    "div_run: mov $7, %eax\n mov $0, %edx\n mov $0, %ecx\n"
    "div_at: div %ecx\n  ret\n" /* by zero */
    "idiv_run: mov $0x8000000000000000, %rax\n cqo\n mov $-1, %rcx\n"
    "idiv_at: idiv %rcx\n ret\n" /* quotient does not fit */
    "div8_run: mov $0x1234, %eax\n mov $1, %ecx\n mov $0x77, %edx\n"
    "div8_at: div %cl\n ret\n");

static char *expected;

static void on_fpe(int sig, siginfo_t *info, void *context) {
  say("SIG%s code %d address at the division %d pc there %d\n", sigabbrev_np(sig), info->si_code,
      (char *)info->si_addr == expected, (char *)REG(context, REG_RIP) == expected);
  say("  rax %llx rdx %llx rcx %llx trap %lld\n", REG(context, REG_RAX), REG(context, REG_RDX),
      REG(context, REG_RCX), REG(context, REG_TRAPNO));
  REG(context, REG_RAX) = 100, REG(context, REG_RDX) = 0, REG(context, REG_RCX) = 7;
}

int main(void) {
  handle(SIGFPE, on_fpe, 0);
  expected = div_at;
  say("div resumed: %d\n", ((int (*)(void))div_run)());
  expected = idiv_at;
  say("idiv resumed: %ld\n", ((long (*)(void))idiv_run)());
  expected = div8_at;
  say("div of a byte resumed: %x\n", ((int (*)(void))div8_run)());
  return 0;
}

/* The trap flag: SIGTRAP after each instruction with TRAP_TRACE and the next pc, clear inside the handler. */
#include "sys_helpers.h"

extern char step_run[], step_first[], step_last[];
__asm__(
    ".text\n"
    "step_run: xor %eax, %eax\n pushf\n orq $0x100, (%rsp)\n popf\n"
    "step_first: mov $5, %ecx\n"
    "1: add $3, %eax\n"
    "  dec %ecx\n"
    "  jnz 1b\n"
    "  lea 1(%rax), %rax\n"
    "  call 2f\n"
    "  pushf\n andq $~0x100, (%rsp)\n popf\n"
    "step_last: ret\n"
    "2: nop\n ret\n");

static volatile int steps, flag_was_set;
static long trail[64];

static void on_trap(int sig, siginfo_t *info, void *context) {
  (void)sig;
  long flags;
  __asm__ volatile("pushf\n pop %0" : "=r"(flags));
  CHECK(info->si_code == TRAP_TRACE && (long)info->si_addr == REG(context, REG_RIP) && !(flags & 0x100));
  flag_was_set += (REG(context, REG_EFL) & 0x100) != 0; /* not after the instruction that clears it */
  if (steps < 64) trail[steps] = REG(context, REG_RIP) - (long)step_first;
  steps++;
}

int main(void) {
  handle(SIGTRAP, on_trap, 0);
  int result = ((int (*)(int))step_run)(0);
  say("steps %d with the flag %d result %d\n", steps, flag_was_set, result);
  for (int i = 0; i < steps && i < 64; i++) say("%ld ", trail[i]);
  say("\n");
  return 0;
}

/* A handler turns single steps on in its context, and another turns them off: every pc and the flags at it, over branches of
 * all kinds, pushf, an emulated instruction, a system call and a fault. */
#include "sys_helpers.h"

extern char walk_run[], walk_end[];
__asm__(
    ".text\n"
    "walk_run: push %rbx\n mov $39, %eax\n"
    "  ud2\n"     /* from here on */
    "  syscall\n" /* getpid */
    "  mov %rax, %r8\n"
    "  pushf\n pop %r9\n"
    "  mov $0, %eax\n cpuid\n"
    "  xor %eax, %eax\n"
    "  jmp 1f\n nop\n"
    "1: lea 3f(%rip), %rdx\n"
    "  call *%rdx\n"
    "  cmp $7, %eax\n"
    "  jne 2f\n jmp *%rsi\n"
    "2: ud2\n"
    "3: add $7, %eax\n"
    "  std\n cld\n"
    "  mov $3, %ecx\n"
    "4: loop 4b\n"
    "  mov 5f(%rip), %r10d\n"
    "  ret\n"
    "5: .long 1\n"
    "walk_last: ud2\n" /* a fault, under single steps too */
    "  mov %r9, %rax\n"
    "walk_end: pop %rbx\n ret\n");
extern char walk_last[];

static struct { long offset, flags; } trail[100];
static volatile int steps;

static void on_illegal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info;
  say("ud2 at %ld with the flag %d\n", (long)(REG(context, REG_RIP) - (long)walk_run),
      (REG(context, REG_EFL) & 0x100) != 0);
  REG(context, REG_RIP) += 2;
  REG(context, REG_EFL) |= 0x100;
}

static void on_trap(int sig, siginfo_t *info, void *context) {
  (void)sig;
  CHECK(info->si_code == TRAP_TRACE && (long)info->si_addr == REG(context, REG_RIP));
  CHECK(REG(context, REG_TRAPNO) == 1 && REG(context, REG_EFL) & 0x100);
  if (steps < 100) {
    trail[steps].offset = REG(context, REG_RIP) - (long)walk_run;
    trail[steps].flags = REG(context, REG_EFL) & 0xcd5;
  }
  steps++;
  if ((char *)REG(context, REG_RIP) == walk_end) REG(context, REG_EFL) &= ~0x100LL;
}

int main(void) {
  handle(SIGILL, on_illegal, 0);
  handle(SIGTRAP, on_trap, 0);
  for (int i = 0; i < 3; i++) {
    steps = 0;
    long pushed = ((long (*)(int, char *))walk_run)(0, walk_last);
    say("%d steps, pushed flag %d\n", steps, (pushed & 0x100) != 0);
    for (int k = 0; k < steps && k < 100; k++) say("%ld:%lx ", trail[k].offset, trail[k].flags);
    say("\n");
  }
  return 0;
}

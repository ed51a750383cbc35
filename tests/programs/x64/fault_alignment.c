/* With the alignment-check flag set a misaligned access gives SIGBUS, BUS_ADRALN; without it none. Calls and returns are
 * aligned. */
#include "sys_helpers.h"

extern char align_run[], align_at[], align_done[];
__asm__(
    ".text\n"
    "align_run: mov %rsp, %rdx\n pushf\n orl $0x40000, (%rsp)\n popf\n" /* rdi: address */
    "align_at: mov (%rdi), %eax\n"
    "align_done: pushf\n andl $~0x40000, (%rsp)\n popf\n ret\n");

extern char align_calls[];
__asm__(
    ".text\n"
    "align_calls: pushf\n orl $0x40000, (%rsp)\n popf\n"
    "  mov $100, %ecx\n xor %eax, %eax\n lea 2f(%rip), %rdx\n"
    "1: call 2f\n"
    "  call *%rdx\n"
    "  call 3f\n"
    "  dec %ecx\n jnz 1b\n"
    "  pushf\n andl $~0x40000, (%rsp)\n popf\n ret\n"
    "2: inc %eax\n ret\n"
    "3: call 2b\n call *%rdx\n ret\n");

static volatile int faults, aligned_pc, code, trap;

void on_bus(int sig, siginfo_t *info, void *context) {
  (void)sig;
  faults++;
  aligned_pc = (char *)REG(context, REG_RIP) == align_at;
  code = info->si_code, trap = REG(context, REG_TRAPNO);
  REG(context, REG_EFL) &= ~0x40000LL;
}
/* the flag is still set when the handler starts */
extern char bus_entry[];
__asm__(".text\n bus_entry: pushf\n andl $~0x40000, (%rsp)\n popf\n jmp on_bus\n");

int main(void) {
  static long words[2] = {0x1122334455667788, 0x99aabbccddeeff00};
  handle(SIGBUS, (void (*)(int, siginfo_t *, void *))bus_entry, 0);
  int value = ((int (*)(void *))align_run)((char *)words);
  say("aligned: value %x faults %d\n", value, faults);
  value = ((int (*)(void *))align_run)((char *)words + 3);
  say("misaligned: value %x faults %d pc %d code %d trap %d\n", value, faults, aligned_pc, code, trap);
  int calls = ((int (*)(void))align_calls)();
  say("calls %d faults %d\n", calls, faults);
  return 0;
}

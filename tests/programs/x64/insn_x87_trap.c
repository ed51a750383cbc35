/* Unmasked x87 exceptions are raised by the next waiting instruction, with both pcs in the program. */
#include <stdint.h>

#include "trap.h"

__asm__(
    ".text\n"
    "pending:\n"
    "  fninit\n"
    "  fldcw unmasked(%rip)\n"
    "  fldz\n"
    "  fld1\n"
    "pending_divide:\n"
    "  fdivp\n" /* the exception stays pending here */
    "  nop\n"
    "  mov $5, %eax\n"
    "pending_wait:\n"
    "  fwait\n" /* and is raised here */
    "  ret\n"
    ".section .rodata\n"
    "unmasked: .short 0x0360\n"
    ".text\n");
extern char pending[], pending_divide[], pending_wait[];

static uint64_t fip;

static void handler(int signo, siginfo_t *info, void *context) {
  const ucontext_t *uc = context;
  fip = uc->uc_mcontext.fpregs->rip;
  trap_handler(signo, info, context);
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGFPE, &sa, NULL) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK(trap_run(pending) == 1);
    printf("%s code %d, pc %+ld, eax %lld, x87 pc %s\n", trap_name(trap_seen.signo), trap_seen.code,
           (long)(trap_seen.pc - (uintptr_t)pending_wait), trap_seen.registers[REG_RAX],
           fip == (uintptr_t)pending_divide ? "right" : "wrong");
    __asm__ volatile("fninit");
  }
  return 0;
}

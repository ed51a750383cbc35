/* No room for a signal frame: the process gets SIGSEGV instead, handled on an alternate stack or fatal. */
#include "sys_helpers.h"
#include <sys/mman.h>

/* Traps with its argument as the stack pointer. */
void trap_run(char *stack);
extern char trap_at[], trap_done[];
#if defined(__x86_64__)
__asm__(
    ".text\n"
    "trap_run: push %r12\n mov %rsp, %r12\n mov %rdi, %rsp\n"
    "trap_at: ud2\n"
    "trap_done: mov %r12, %rsp\n pop %r12\n ret\n");
#else
__asm__(
    ".text\n .globl trap_run, trap_at, trap_done\n"
    "trap_run: str x19, [sp, -16]!\n mov x19, sp\n mov sp, x0\n"
    "trap_at: udf 0\n"
    "trap_done: mov sp, x19\n ldr x19, [sp], 16\n ret\n");
#endif

static char alternate[65536];

static void on_illegal(int sig, siginfo_t *info, void *context) {
  (void)info;
  say("  SIG%s ran on its frame\n", sigabbrev_np(sig));
  set_pc(context, trap_done);
}

static void on_fault(int sig, siginfo_t *info, void *context) {
  say("  SIG%s code %d address %p, pc at the trap %d\n", sigabbrev_np(sig), info->si_code, info->si_addr,
      pc_of(context) == (uintptr_t)trap_at);
  set_pc(context, trap_done);
}

int main(void) {
  no_core();
  char *page = mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED && mprotect(page, 65536, PROT_NONE) == 0);
  CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
  handle(SIGILL, on_illegal, 0);
  handle(SIGSEGV, on_fault, SA_ONSTACK);
  say("enough room\n");
  trap_run(page + 3 * 65536);
  say("unmapped\n");
  trap_run((char *)0x5000);
  say("too near a guard\n");
  trap_run(page + 65536 + 600);
  say("non-canonical\n");
  trap_run((char *)0x1234567890abcdef);
  pid_t child = fork();
  if (child == 0) {
    handle(SIGSEGV, on_fault, 0); /* nowhere to run it either */
    trap_run((char *)0x5000);
    _exit(0);
  }
  say_status("no alternate stack", reap(child));
  child = fork();
  if (child == 0) { /* the alternate stack itself is too deep already */
    CHECK(sigaltstack(&(stack_t){.ss_sp = page, .ss_size = 65536}, NULL) == 0);
    trap_run((char *)0x5000);
    _exit(0);
  }
  say_status("alternate stack not accessible", reap(child));
  return 0;
}

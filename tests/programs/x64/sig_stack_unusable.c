/* No room for a signal frame: the process gets SIGSEGV instead, handled on an alternate stack or fatal. */
#include "sys_helpers.h"
#include <sys/mman.h>

extern char trap_run[], trap_at[], trap_done[];
__asm__(
    ".text\n"
    "trap_run: mov %rsp, %r12\n mov %rdi, %rsp\n" /* rdi: a stack pointer of no use */
    "trap_at: ud2\n"
    "trap_done: mov %r12, %rsp\n ret\n");

static char alternate[65536];

static void on_illegal(int sig, siginfo_t *info, void *context) {
  (void)info;
  say("  SIG%s ran on its frame\n", sigabbrev_np(sig));
  REG(context, REG_RIP) = (long)trap_done;
}

static void on_fault(int sig, siginfo_t *info, void *context) {
  say("  SIG%s code %d address %p, pc at the trap %d\n", sigabbrev_np(sig), info->si_code, info->si_addr,
      (char *)REG(context, REG_RIP) == trap_at);
  REG(context, REG_RIP) = (long)trap_done;
}

static void run(char *stack) {
  __asm__ volatile("call *%1"
                   : "+D"(stack)
                   : "r"(trap_run)
                   : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "memory", "cc");
}

int main(void) {
  no_core();
  char *page = mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED && mprotect(page, 65536, PROT_NONE) == 0);
  CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
  handle(SIGILL, on_illegal, 0);
  handle(SIGSEGV, on_fault, SA_ONSTACK);
  say("enough room\n");
  run(page + 3 * 65536);
  say("unmapped\n");
  run((char *)0x5000);
  say("too near a guard\n");
  run(page + 65536 + 600);
  say("non-canonical\n");
  run((char *)0x1234567890abcdef);
  pid_t child = fork();
  if (child == 0) {
    handle(SIGSEGV, on_fault, 0); /* nowhere to run it either */
    run((char *)0x5000);
    _exit(0);
  }
  say_status("no alternate stack", reap(child));
  child = fork();
  if (child == 0) { /* the alternate stack itself is too deep already */
    CHECK(sigaltstack(&(stack_t){.ss_sp = page, .ss_size = 65536}, NULL) == 0);
    run((char *)0x5000);
    _exit(0);
  }
  say_status("alternate stack not accessible", reap(child));
  return 0;
}

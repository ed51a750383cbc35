/* trap.h: run code that faults, and tell with which signal, where it stopped and what it accused. */
#ifndef TESTS_PROGRAMS_TRAP_H
#define TESTS_PROGRAMS_TRAP_H

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "check.h"

struct trap {
  int signo, code;
  uintptr_t address;   /* si_addr */
  uintptr_t pc, sp;    /* of the interrupted code */
  unsigned long error; /* what the processor tells of a page fault, where the kernel passes it on */
#if defined(__x86_64__)
  greg_t registers[NGREG]; /* all of them */
#endif
};

static volatile struct trap trap_seen;
static sigjmp_buf trap_home;

static inline void trap_handler(int signo, siginfo_t *info, void *context) {
  const ucontext_t *uc = context;
  trap_seen.signo = signo;
  trap_seen.code = info->si_code;
  trap_seen.address = (uintptr_t)info->si_addr;
#if defined(__x86_64__)
  trap_seen.pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
  trap_seen.sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
  trap_seen.error = (unsigned long)uc->uc_mcontext.gregs[REG_ERR];
  for (int i = 0; i < NGREG; i++) trap_seen.registers[i] = uc->uc_mcontext.gregs[i];
#else
  trap_seen.pc = uc->uc_mcontext.pc;
  trap_seen.sp = uc->uc_mcontext.sp;
#endif
  siglongjmp(trap_home, 1);
}

/* Catches all synchronous signals, on a stack of its own since the code under test may ruin the stack pointer. */
static inline void trap_install(void) {
  static char stack[64 << 10];
  stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
  CHECK(sigaltstack(&ss, NULL) == 0);
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
  struct sigaction sa = {.sa_sigaction = trap_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
    CHECK(sigaction(signals[i], &sa, NULL) == 0);
}

/* Calls `code`; 1 when it trapped (then trap_seen tells how), 0 when it returned. */
static inline int trap_run(const void *code) {
  trap_seen.signo = 0;
  if (sigsetjmp(trap_home, 1)) return 1;
  ((void (*)(void))(uintptr_t)code)();
  return 0;
}

static inline const char *trap_name(int signo) {
  return signo == SIGSEGV   ? "SIGSEGV"
         : signo == SIGBUS  ? "SIGBUS"
         : signo == SIGILL  ? "SIGILL"
         : signo == SIGFPE  ? "SIGFPE"
         : signo == SIGTRAP ? "SIGTRAP"
                            : "no signal";
}

#endif

/* A tracer attaches to a process that computes with values in registers, again and again, wherever that is just then: it sees these values, and a program
 * counter and a stack pointer of the program's. */
#include "sys_helpers.h"
#include <elf.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { ROUNDS = 40, KEPT = 5 };

static volatile long counter;
static char stack[65536] __attribute__((aligned(16)));
extern char loop_start[], loop_end[];

/* Never returns. Each turn has a store, and where the tracer can tell everywhere, a call, a return and an indirect branch. */
__attribute__((noinline)) static void compute(void) {
#if defined(__x86_64__)
  __asm__ volatile(
      "mov %1, %%rsp; mov $11, %%eax; mov $12, %%ecx; mov $13, %%edx; mov $14, %%r14d; mov $15, %%r15d\n"
      ".globl loop_start, loop_end\n"
      "loop_start: inc %%r9; mov %%r9, %0; test %%r9, %%r9; jnz loop_start; ud2\n"
      "loop_end:"
      : "=m"(counter)
      : "r"(stack + sizeof stack)
      : "memory", "rax", "rcx", "rdx", "r9", "r14", "r15");
#else
  __asm__ volatile(
      "mov sp, %1; mov x13, #11; mov x14, #12; mov x15, #13; mov x18, #14; mov x28, #15\n"
      "adr x16, 1f\n"
      ".globl loop_start, loop_end\n"
      "loop_start: add x9, x9, #1; str x9, %0; bl 2f; br x16\n"
      "1: cbnz x9, loop_start\n"
      "2: add x10, x10, #3; ret\n"
      "loop_end:"
      : "=m"(counter)
      : "r"(stack + sizeof stack)
      : "memory", "x9", "x10", "x13", "x14", "x15", "x16", "x18", "x28", "x30");
#endif
}

static void look_at(pid_t pid) {
  struct user_regs_struct registers;
  struct iovec set = {&registers, sizeof registers};
  CHECK(ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &set) == 0 && set.iov_len == sizeof registers);
#if defined(__x86_64__)
  uintptr_t pc = registers.rip, sp = registers.rsp;
  unsigned long kept[KEPT] = {registers.rax, registers.rcx, registers.rdx, registers.r14, registers.r15};
#else
  uintptr_t pc = registers.pc, sp = registers.sp;
  unsigned long kept[KEPT] = {registers.regs[13], registers.regs[14], registers.regs[15], registers.regs[18],
                              registers.regs[28]};
#endif
  CHECK(pc >= (uintptr_t)loop_start && pc < (uintptr_t)loop_end);
  CHECK(sp > (uintptr_t)stack + sizeof stack - 16 && sp <= (uintptr_t)stack + sizeof stack);
  for (unsigned long i = 0; i < KEPT; i++) CHECK(kept[i] == 11 + i);
}

/* Until it has come so far. */
static void await_turns(pid_t pid, long turns) {
  long seen = 0;
  struct iovec here = {&seen, sizeof seen}, there = {(void *)&counter, sizeof seen};
  while (seen < turns) CHECK(process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof seen);
}

int main(void) {
  int status;
  pid_t pid = fork();
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    compute();
  }
  await_turns(pid, 100000); /* it computes as it will go on */
  for (int round = 0; round < ROUNDS; round++) {
    CHECK(ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    look_at(pid);
    CHECK(ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0);
  }
  CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
  say_status("the other", status);
  return 0;
}

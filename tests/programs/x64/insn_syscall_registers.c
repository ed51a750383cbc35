/* The syscall instruction: rcx becomes the next pc, r11 the flags, everything else stays. */
#include <stdint.h>
#include <sys/syscall.h>

#include "check.h"

__asm__(
    ".text\n"
    "probe:\n" /* rdi: 16 words to load registers from and store them to; rsi: flags to set */
    "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n  push %rdi\n"
    "  push %rsi\n"
    "  mov (%rdi), %rax\n  mov 8(%rdi), %rbx\n  mov 24(%rdi), %rdx\n"
    "  mov 32(%rdi), %rsi\n  mov 48(%rdi), %rbp\n  mov 64(%rdi), %r8\n"
    "  mov 72(%rdi), %r9\n  mov 80(%rdi), %r10\n  mov 96(%rdi), %r12\n"
    "  mov 104(%rdi), %r13\n  mov 112(%rdi), %r14\n  mov 120(%rdi), %r15\n"
    "  mov 40(%rdi), %rdi\n"
    "  popf\n"
    "  syscall\n"
    "after_syscall:\n"
    "  pushf\n"
    "  xchg %rdi, 8(%rsp)\n" /* the block's address comes back, rdi as it was takes its place */
    "  mov %rax, (%rdi)\n  mov %rbx, 8(%rdi)\n  mov %rcx, 16(%rdi)\n  mov %rdx, 24(%rdi)\n"
    "  mov %rsi, 32(%rdi)\n  mov %rbp, 48(%rdi)\n  mov %r8, 64(%rdi)\n  mov %r9, 72(%rdi)\n"
    "  mov %r10, 80(%rdi)\n  mov %r11, 88(%rdi)\n  mov %r12, 96(%rdi)\n  mov %r13, 104(%rdi)\n"
    "  mov %r14, 112(%rdi)\n  mov %r15, 120(%rdi)\n"
    "  popq 56(%rdi)\n" /* flags after */
    "  popq 40(%rdi)\n"
    "  cld\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"
    "  ret\n");

extern void probe(uint64_t *registers, uint64_t flags);
extern char after_syscall[];

static void run(const char *name, long number, uint64_t flags) {
  uint64_t before[16], r[16];
  for (uint64_t i = 0; i < 16; i++) before[i] = 0x1000100010001000u * (i + 1) + i;
  before[0] = (uint64_t)number;
  memcpy(r, before, sizeof r);
  probe(r, flags);
  CHECK(r[2] == (uintptr_t)after_syscall); /* rcx */
  int same = 0;
  for (int i = 1; i < 16; i++) same += i != 2 && i != 7 && i != 11 && r[i] == before[i];
  printf("%s: result %ld, r11 %lx, flags %lx, unchanged %d\n", name,
         number == SYS_getpid ? (long)r[0] - getpid() : (long)r[0], (unsigned long)r[11], (unsigned long)r[7],
         same);
}

int main(void) {
  run("getpid", SYS_getpid, 0x202);
  run("getpid", SYS_getpid, 0x202 | 0x8d5);
  run("getpid", SYS_getpid, 0x202 | 0x401);
  run("unknown", 100000, 0x246);
  run("negative", -1, 0x287);
  run("close", SYS_close, 0xa13);
  run("high half ignored", (long)0xffffffff00000000 | SYS_sched_yield, 0x202);
  return 0;
}

/* All that a program finds when it starts, and that nobody has promised: registers, vector state, memory below the stack pointer,
 * the whole of the initial stack. Goes out through a write, so that a replay in which it is another fails. */
/* cflags: -static -nostdlib -nostartfiles -fno-stack-protector -O1 -mno-avx */
#include <stdint.h>
#include <sys/syscall.h>

enum { BELOW = 32 << 10, ABOVE = 512 };

struct state {
  uint64_t gpr[16], flags, fs, gs;
  uint32_t mxcsr;
  uint16_t x87[14];
  uint8_t vectors[16 * 16];
};

static long call(long nr, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

__attribute__((used)) static void begin(struct state *state, char *sp) {
  long fd = call(SYS_open, (long)"/dev/null", 1, 0);
  if (call(SYS_write, fd, (long)state, sizeof *state) != sizeof *state) call(SYS_exit, 99, 0, 0);
  /* This function's own frame is in between: it is the same each time. */
  if (call(SYS_write, fd, (long)(sp - BELOW), BELOW) != BELOW) call(SYS_exit, 99, 0, 0);
  if (call(SYS_write, fd, (long)sp, ABOVE) <= 0) call(SYS_exit, 99, 0, 0);
  call(SYS_write, 1, (long)"done\n", 5);
  call(SYS_exit, 0, 0, 0);
}

static struct state state __attribute__((used, aligned(16)));

__asm__(
    ".globl _start\n"
    "_start:\n"
    "  mov %rax, state(%rip)\n  mov %rcx, state+8(%rip)\n  mov %rdx, state+16(%rip)\n  mov %rbx, "
    "state+24(%rip)\n"
    "  mov %rsp, state+32(%rip)\n  mov %rbp, state+40(%rip)\n  mov %rsi, state+48(%rip)\n  mov %rdi, "
    "state+56(%rip)\n"
    "  mov %r8, state+64(%rip)\n  mov %r9, state+72(%rip)\n  mov %r10, state+80(%rip)\n  mov %r11, "
    "state+88(%rip)\n"
    "  mov %r12, state+96(%rip)\n  mov %r13, state+104(%rip)\n  mov %r14, state+112(%rip)\n  mov %r15, "
    "state+120(%rip)\n"
    "  mov %rsp, %rsi\n"
    "  lea stack_end(%rip), %rsp\n"
    "  pushfq\n  popq state+128(%rip)\n"
    "  rdfsbase %rax\n  mov %rax, state+136(%rip)\n  rdgsbase %rax\n  mov %rax, state+144(%rip)\n"
    "  stmxcsr state+152(%rip)\n  fnstenv state+156(%rip)\n"
    "  lea state+184(%rip), %rdi\n"
    "  movups %xmm0, (%rdi)\n  movups %xmm1, 16(%rdi)\n  movups %xmm7, 112(%rdi)\n  movups %xmm8, 128(%rdi)\n"
    "  movups %xmm15, 240(%rdi)\n"
    "  lea state(%rip), %rdi\n"
    "  call begin\n"
    ".bss\n.align 16\n.skip 65536\nstack_end:\n.skip 64\n.text\n");

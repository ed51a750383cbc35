/* A handler writes every general register and the flags in its context; the program goes on with them. */
#include "sys_helpers.h"

extern char trap_run[];
long seen[16];
__asm__(
    ".text\n"
    "trap_run:\n"
    "  push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "  xor %eax, %eax\n"
    "  ud2\n"
    "  mov %rax, seen(%rip)\n mov %rbx, seen+8(%rip)\n mov %rcx, seen+16(%rip)\n mov %rdx, seen+24(%rip)\n"
    "  mov %rsi, seen+32(%rip)\n mov %rdi, seen+40(%rip)\n mov %rbp, seen+48(%rip)\n"
    "  mov %r8, seen+56(%rip)\n mov %r9, seen+64(%rip)\n mov %r10, seen+72(%rip)\n mov %r11, seen+80(%rip)\n"
    "  mov %r12, seen+88(%rip)\n mov %r13, seen+96(%rip)\n mov %r14, seen+104(%rip)\n mov %r15, "
    "seen+112(%rip)\n"
    "  pushf\n pop %rax\n mov %rax, seen+120(%rip)\n cld\n"
    "  pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    "  ret\n");

static void on_illegal(int sig, siginfo_t *info, void *context) {
  static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8,
                              REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  (void)sig, (void)info;
  for (int i = 0; i < 15; i++) REG(context, order[i]) = 0x0101010101010101LL * (i + 1);
  REG(context, REG_EFL) ^= 0xcd5; /* CF PF AF ZF SF DF OF */
  REG(context, REG_RIP) += 2;
}

int main(void) {
  handle(SIGILL, on_illegal, 0);
  ((void (*)(void))trap_run)();
  for (int i = 0; i < 15; i++) say("%2d %016lx\n", i, seen[i]);
  say("flags %lx\n", seen[15] & 0xcd5);
  return 0;
}

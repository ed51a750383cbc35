/* What a system call leaves: rax the result, rcx the next pc, r11 the flags, every other register
 * untouched. */
#include "sys_helpers.h"
#include <sys/syscall.h>

long after[16];
unsigned char vectors[16][16];
extern char call_run[], call_next[];
__asm__(
    ".text\n"
    "call_run: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n" /* rdi: call number */
    "  mov %rdi, %rax\n mov %rdi, %rbx\n"
    "  mov $0x1111, %rdi\n mov $0x2222, %rsi\n mov $0x3333, %rdx\n mov $0x4444, %r10\n mov $0x5555, %r8\n"
    "  mov $0x6666, %r9\n mov $0x7777, %rbp\n mov $0x8888, %r12\n mov $0x9999, %r13\n mov $0xaaaa, %r14\n"
    "  mov $0xbbbb, %r15\n mov $0xcccc, %rcx\n mov $0xdddd, %r11\n movq %r15, %xmm0\n movq %r14, %xmm7\n "
    "movq %r13, %xmm15\n"
    "  movl $0x1234, -8(%rsp)\n movl $0x5678, -128(%rsp)\n"
    "  cmp %rdi, %rsi\n stc\n"
    "  syscall\n"
    "call_next:\n"
    "  mov %rax, after(%rip)\n mov %rcx, after+8(%rip)\n mov %r11, after+16(%rip)\n mov %rdi, "
    "after+24(%rip)\n"
    "  pushf\n pop %rax\n mov %rax, after+32(%rip)\n"
    "  mov %rsi, after+40(%rip)\n mov %rdx, after+48(%rip)\n mov %r10, after+56(%rip)\n mov %r8, "
    "after+64(%rip)\n"
    "  mov %r9, after+72(%rip)\n mov %rbp, after+80(%rip)\n mov %r12, after+88(%rip)\n mov %r13, "
    "after+96(%rip)\n"
    "  mov %r14, after+104(%rip)\n mov %r15, after+112(%rip)\n mov -128(%rsp), %eax\n mov %rax, "
    "after+120(%rip)\n"
    "  movdqu %xmm0, vectors(%rip)\n movdqu %xmm7, vectors+16(%rip)\n movdqu %xmm15, vectors+32(%rip)\n"
    "  pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");

static void run(const char *what, long number) {
  ((void (*)(long))call_run)(number);
  say("%s: rax %s", what, after[0] >= 0 ? "ok" : strerrorname_np((int)-after[0]));
  say(" rcx is the next pc %d, r11 %lx flags %lx same %d\n", (char *)after[1] == call_next, after[2] & 0xcd5,
      after[4] & 0xcd5, after[2] == after[4]);
  for (int i = 3; i < 16; i++)
    if (i != 4) say(" %lx", after[i]);
  for (int i = 0; i < 3; i++) say(" %02x%02x", vectors[i][1], vectors[i][0]);
  say("\n");
}

int main(void) {
  run("getppid", SYS_getppid);
  run("no such number", 9999);
  run("number -1", -1);
  run("huge number", 0x123456789abcL);
  run("upper half is ignored or not", 0x100000000L + SYS_getppid);
  run("x32 number", 0x40000000L + SYS_getppid);
  run("bad descriptor read", SYS_read);
  run("sched_yield", SYS_sched_yield);
  return 0;
}

/* int3, int $3, int1, ud2, ud1, hlt, cli, in, rdmsr, int $n, bad opcodes: signal, code, address, pc and
 * trap number. */
#include "sys_helpers.h"

/* clang-format off */
#define TRAPS(X)                                                                \
  X(int3, "int3")                                                               \
  X(int_3, ".byte 0xcd, 3")                                                     \
  X(int1, ".byte 0xf1")                                                         \
  X(ud2, "ud2")                                                                 \
  X(ud1, "ud1 (%rax), %ecx")                                                    \
  X(hlt, "hlt")                                                                 \
  X(cli, "cli")                                                                 \
  X(sti, "sti")                                                                 \
  X(in, "in $0x60, %al")                                                        \
  X(out, "out %al, %dx")                                                        \
  X(rdmsr, "rdmsr")                                                             \
  X(invd, "invd")                                                               \
  X(lgdt, "lgdt (%rsp)")                                                        \
  X(cr0, "mov %cr0, %rax")                                                      \
  X(dr0, "mov %dr0, %rax")                                                      \
  X(clts, "clts")                                                               \
  X(int_4, "int $4")                                                            \
  X(int_32, "int $0x20")                                                        \
  X(int_129, "int $0x81")                                                       \
  X(swapgs, "swapgs")                                                           \
  X(insb, "insb")                                                               \
  X(aam, ".byte 0xd4, 0x0a")                                                    \
  X(into, ".byte 0xce")                                                         \
  X(daa, ".byte 0x27")                                                          \
  X(pusha, ".byte 0x60")                                                        \
  X(bad_modrm, ".byte 0x0f, 0xff, 0xc0")                                        \
  X(salc, ".byte 0xd6")                                                         \
  X(lock_mov, ".byte 0xf0, 0x89, 0xc0")                                         \
  X(lock_reg, ".byte 0xf0, 0x01, 0xc0")                                         \
  X(iretq_bad, "pushq $0\n pushq $0\n pushq $0\n pushq $0\n pushq $0\n iretq")  \
  X(movaps, "lea -15(%rsp), %rdx\n movaps (%rdx), %xmm0")                       \
  X(sysexit, ".byte 0x0f, 0x35")                                                \
  X(non_canonical, "mov $0x8000000000000000, %rdx\n mov (%rdx), %eax")
/* clang-format on */

#define EMIT(name, text)                                                                     \
#name "_run: mov $0, %eax\n mov $0, %ecx\n mov $0, %edx\n mov %rsp, %r8\n" text "\n" #name \
        "_end: mov %r8, %rsp\n ret\n"
#define DECLARE(name, text) extern char name##_run[], name##_end[];
#define CALL(name, text) run(#name, name##_run, name##_end);

TRAPS(DECLARE)
__asm__(".text\n" TRAPS(EMIT));

static char *start, *end;

static void on_trap(int sig, siginfo_t *info, void *context) {
  char *pc = (char *)REG(context, REG_RIP), *address = info->si_addr;
  say("SIG%s code %d pc end-%ld ", sigabbrev_np(sig), info->si_code, (long)(end - pc));
  if (address >= start && address <= end)
    say("address end-%ld ", (long)(end - address));
  else
    say("address %p ", info->si_addr);
  say("trap %lld error %llx\n", REG(context, REG_TRAPNO), REG(context, REG_ERR));
  REG(context, REG_RIP) = (long long)end;
}

static void run(const char *name, char *from, char *to) {
  say("%s: ", name);
  start = from, end = to;
  ((void (*)(void))from)();
}

int main(void) {
  static const int signals[] = {SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE};
  for (int i = 0; i < 5; i++) handle(signals[i], on_trap, 0);
  TRAPS(CALL)
  return 0;
}

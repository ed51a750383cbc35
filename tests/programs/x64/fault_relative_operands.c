/* Faults of pc-relative, indexed, segment and immediate-laden operands: address, pc and length of each are
 * right. */
#include "sys_helpers.h"
#include <sys/mman.h>

__attribute__((aligned(4096))) char guarded[8192] = {1};

#define CASES(X)                                                                          \
  X(load, "mov guarded+24(%rip), %rax\n", 24)                                             \
  X(store, "mov %rax, guarded+8(%rip)\n", 8)                                              \
  X(store_immediate, "movl $0x12345678, guarded+40(%rip)\n", 40)                          \
  X(compare, "cmpb $7, guarded+3(%rip)\n", 3)                                             \
  X(add, "addw $0x1234, guarded+70(%rip)\n", 70)                                          \
  X(vector, "movdqu guarded+100(%rip), %xmm3\n", 100)                                     \
  X(aligned_vector, "pshufd $3, guarded+112(%rip), %xmm3\n", 112)                         \
  X(call_through, "call *guarded+200(%rip)\n", 200)                                       \
  X(jump_through, "jmp *guarded+208(%rip)\n", 208)                                        \
  X(push_from, "push guarded+216(%rip)\n", 216)                                           \
  X(exchange, "xchg %ecx, guarded+300(%rip)\n", 300)                                      \
  X(atomic, "lock addl $1, guarded+304(%rip)\n", 304)                                     \
  X(indexed, "lea guarded(%rip), %r11\n mov $13, %r10\n mov 5(%r11,%r10,8), %rax\n", 109) \
  X(x87, "fldt guarded+400(%rip)\n", 400)                                                 \
  X(extended, "lea guarded(%rip), %r12\n movb $1, 1000(%r12)\n", 1000)                    \
  X(segment, "lea guarded+77(%rip), %r10\n sub %fs:0, %r10\n mov %fs:(%r10), %eax\n", 77)

#define EMIT(name, text, offset) \
#name "_run: push %r12\n mov %rsp, %r8\n" text #name "_end: mov %r8, %rsp\n pop %r12\n ret\n"
#define DECLARE(name, text, offset) extern char name##_run[], name##_end[];
#define CALL(name, text, offset) run(#name, name##_run, name##_end, offset);
CASES(DECLARE)
__asm__(".text\n" CASES(EMIT));

static char *end;

static void on_fault(int sig, siginfo_t *info, void *context) {
  say("SIG%s address +%ld error %llx pc end-%lld pushed %lld\n", sigabbrev_np(sig),
      (long)((char *)info->si_addr - guarded), REG(context, REG_ERR), (long long)end - REG(context, REG_RIP),
      REG(context, REG_R8) - REG(context, REG_RSP));
  REG(context, REG_RIP) = (long)end;
}

static void run(const char *name, char *from, char *to, int offset) {
  say("%s, expecting +%d: ", name, offset);
  end = to;
  ((void (*)(void))from)();
}

int main(void) {
  CHECK(mprotect(guarded, 4096, PROT_NONE) == 0);
  handle(SIGSEGV, on_fault, 0);
  CASES(CALL)
  return 0;
}

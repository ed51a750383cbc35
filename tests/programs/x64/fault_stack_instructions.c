/* push, call, pop, ret, enter, leave, xchg, lock ops that fault: the stack pointer and registers are as
 * before them. */
#include "sys_helpers.h"
#include <sys/mman.h>

#define CASES(X)                                                              \
  X(push, "mov %rdi, %rsp\n", "push %rax\n")                                  \
  X(push_imm, "mov %rdi, %rsp\n", "push $5\n")                                \
  X(push_mem, "", "push (%rdi)\n")                                            \
  X(pushf, "mov %rdi, %rsp\n", "pushf\n")                                     \
  X(call, "mov %rdi, %rsp\n", "call call_target\n")                           \
  X(call_reg, "mov %rdi, %rsp\n lea call_target(%rip), %r9\n", "call *%r9\n") \
  X(call_mem, "", "call *8(%rdi)\n")                                          \
  X(jmp_mem, "", "jmp *16(%rdi)\n")                                           \
  X(ret, "mov %rdi, %rsp\n", "ret\n")                                         \
  X(ret_imm, "mov %rdi, %rsp\n", "ret $32\n")                                 \
  X(pop, "mov %rdi, %rsp\n", "pop %rax\n")                                    \
  X(pop_mem, "push $7\n", "pop (%rdi)\n")                                     \
  X(leave, "push %rbp\n mov %rdi, %rbp\n", "leave\n")                         \
  X(xchg, "", "xchg %rax, (%rdi)\n")                                          \
  X(xadd, "", "lock xadd %rax, (%rdi)\n")                                     \
  X(cmpxchg, "", "lock cmpxchg %rcx, (%rdi)\n")                               \
  X(cmpxchg16b, "", "lock cmpxchg16b (%rdi)\n")                               \
  X(inc, "", "lock incl (%rdi)\n")                                            \
  X(cmov, "test %rax, %rax\n", "cmovz (%rdi), %rax\n")                        \
  X(bts, "mov $70, %ecx\n", "bts %rcx, (%rdi)\n")                             \
  X(adc, "stc\n", "adc %rax, (%rdi)\n")                                       \
  X(mul, "", "mulq (%rdi)\n")                                                 \
  X(movs, "mov %rdi, %rsi\n", "movsb\n")                                      \
  X(lods, "mov %rdi, %rsi\n", "lodsq\n")                                      \
  X(xlat, "mov %rdi, %rbx\n xor %eax, %eax\n", "xlat\n")

#define EMIT(name, before, text)                                           \
#name                                                                    \
      "_run: push %rbx\n push %rbp\n mov %rsp, %r15\n mov $0x1234, %eax\n" \
      "mov $0x77, %ecx\n mov $0x55, %edx\n" before #name "_at: " text "jmp back\n"
#define DECLARE(name, before, text) extern char name##_at[], name##_run[];
#define CALL(name, before, text) run(#name, name##_run, name##_at);

CASES(DECLARE)
extern char back[];
void enter_case(void *code, void *address);
__asm__(
    ".text\ncall_target: ret\n"
    "enter_case: push %r15\n push %rdi\n mov %rdi, %rax\n mov %rsi, %rdi\n jmp *%rax\n"
    "back: mov %r15, %rsp\n pop %rbp\n pop %rbx\n pop %rax\n pop %r15\n ret\n" CASES(EMIT));

static char *area, *expected;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig;
  long long stack = REG(context, REG_RSP), saved = REG(context, REG_R15), middle = (long long)area + 4096;
  say("pc at it %d address %+ld error %llx rax %llx rcx %llx rdx %llx rsp ",
      (char *)REG(context, REG_RIP) == expected, (long)((char *)info->si_addr - area - 4096),
      REG(context, REG_ERR), REG(context, REG_RAX), REG(context, REG_RCX) & 0xff, REG(context, REG_RDX));
  if (stack > middle - 4096 && stack < middle + 4096)
    say("middle%+lld\n", stack - middle);
  else
    say("entry%+lld\n", stack - saved);
  REG(context, REG_RIP) = (long)back;
}

static void run(const char *name, char *code, char *at) {
  say("%s: ", name);
  expected = at;
  enter_case(code, area + 4096);
}

int main(void) {
  static char alternate[65536];
  area = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(area != MAP_FAILED);
  CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
  handle(SIGSEGV, on_fault, SA_ONSTACK);
  CASES(CALL)
  return 0;
}

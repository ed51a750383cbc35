/* A faulting load gives the handler every register, the flags, the pc, the address and the trap exactly. */
#include "sys_helpers.h"
#include <sys/mman.h>

extern char load_run[], load_at[], load_done[];
__asm__(
    ".text\n"
    "load_run:\n"
    "  push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "  mov $0x1111111111111111, %rax\n mov $0x2222222222222222, %rbx\n"
    "  mov $0x3333333333333333, %rcx\n mov $0x4444444444444444, %rdx\n"
    "  mov $0x5555555555555555, %rsi\n mov $0x6666666666666666, %rbp\n"
    "  mov $0x8888888888888888, %r8\n mov $0x9999999999999999, %r9\n"
    "  mov $0xaaaaaaaaaaaaaaaa, %r10\n mov $0xbbbbbbbbbbbbbbbb, %r11\n"
    "  mov $0xcccccccccccccccc, %r12\n mov $0xdddddddddddddddd, %r13\n"
    "  mov $0xeeeeeeeeeeeeeeee, %r14\n mov $0xffffffffffffffff, %r15\n"
    "  cmp %rax, %rbx\n"
    "  stc\n"
    "load_at:\n"
    "  mov 0x123(%rdi), %rax\n"
    "load_done:\n"
    "  pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    "  ret\n");

static char *page;

static void on_fault(int sig, siginfo_t *info, void *context) {
  static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RBP, REG_R8,
                              REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  say("SIG%s code %d address page+0x%lx\n", sigabbrev_np(sig), info->si_code,
      (long)((char *)info->si_addr - page));
  say("pc at the load %d, rdi is the page %d\n", (char *)REG(context, REG_RIP) == load_at,
      (char *)REG(context, REG_RDI) == page);
  for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
    say("register %2d %016llx\n", order[i], REG(context, order[i]));
  say("flags %llx trap %lld error %llx cr2 page+0x%llx\n", REG(context, REG_EFL) & 0xcd5,
      REG(context, REG_TRAPNO), REG(context, REG_ERR), REG(context, REG_CR2) - (long long)page);
  REG(context, REG_RAX) = 4711;
  REG(context, REG_RIP) = (long long)load_done;
}

int main(void) {
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  handle(SIGSEGV, on_fault, 0);
  long result = ((long (*)(char *))load_run)(page);
  say("returned %ld\n", result);
  return 0;
}

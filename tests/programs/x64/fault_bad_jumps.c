/* Jumps, calls and returns to unmapped, non-executable and null places: pc, address and return stack. */
#include "sys_helpers.h"
#include <sys/mman.h>

#define CASES(X)          \
  X(jump, "jmp *%rdi\n")  \
  X(call, "call *%rdi\n") \
  X(ret, "push %rdi\n ret\n")

#define EMIT(name, text) #name "_run: mov %rsp, %r8\n" text #name "_end: ret\n"
#define DECLARE(name, text) extern char name##_run[], name##_end[];

CASES(DECLARE)
__asm__(".text\n" CASES(EMIT));

static char *target, *after, *start;

static void on_fault(int sig, siginfo_t *info, void *context) {
  char *pc = (char *)REG(context, REG_RIP), *address = info->si_addr;
  long long pushed = REG(context, REG_R8) - REG(context, REG_RSP);
  say("SIG%s code %d error %llx trap %lld, pc is %s, address is %s, pushed %lld, return address %d\n",
      sigabbrev_np(sig), info->si_code, REG(context, REG_ERR), REG(context, REG_TRAPNO),
      pc == target                ? "the target"
      : pc >= start && pc < after ? "the jump"
                                  : "elsewhere",
      address == target ? "the target"
      : address == NULL ? "null"
                        : "elsewhere",
      pushed, pushed == 8 && *(char **)REG(context, REG_RSP) == after);
  REG(context, REG_RSP) = REG(context, REG_R8);
  REG(context, REG_RIP) = (long)after;
}

#define CALL(name, text)                  \
  say("%s to %s: ", #name, what);         \
  start = name##_run, after = name##_end; \
  ((void (*)(char *))name##_run)(target);

static void run(const char *what, char *to) {
  target = to;
  CASES(CALL)
}

int main(void) {
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
  handle(SIGSEGV, on_fault, 0);
  handle(SIGILL, on_fault, 0);
  handle(SIGBUS, on_fault, 0);
  run("null", NULL);
  run("a data page", page + 33);
  run("an unmapped page", page + 4096 + 7);
  run("a low address", (char *)0x1234);
  run("the page above the highest", (char *)0x7ffffffff123);
  run("a kernel address", (char *)0xffffffff81000000);
  memset(page, 0x0f, 4096); /* an invalid opcode at each place */
  page[100] = 0x0f, page[101] = 0x0b;
  CHECK(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
  run("ud2 in a fresh page", page + 100);
  return 0;
}

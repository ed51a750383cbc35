/* rep movsb/movsq/stosb/cmpsb/scasb faulting in the middle: counters stand at the fault, and it resumes. */
#include "sys_helpers.h"
#include <sys/mman.h>

static char *source, *target;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig;
  char *address = info->si_addr;
  int in_source = address >= source && address < source + 8192;
  char *base = in_source ? source : target;
  say("  fault at %s+%ld: rcx %lld rsi +%lld rdi +%lld\n", in_source ? "source" : "target",
      (long)(address - base), REG(context, REG_RCX), REG(context, REG_RSI) - (long long)source,
      REG(context, REG_RDI) - (long long)target);
  CHECK(mprotect((char *)((long)address & -4096L), 4096, PROT_READ | PROT_WRITE) == 0);
}

static void arm(int source_page, int target_page) {
  CHECK(mprotect(source, 8192, PROT_READ | PROT_WRITE) == 0);
  CHECK(mprotect(target, 8192, PROT_READ | PROT_WRITE) == 0);
  for (int i = 0; i < 8192; i++) source[i] = i * 7, target[i] = 0;
  if (source_page >= 0) CHECK(mprotect(source + source_page * 4096, 4096, PROT_NONE) == 0);
  if (target_page >= 0) CHECK(mprotect(target + target_page * 4096, 4096, PROT_NONE) == 0);
}

#define STRING(text, count, from, to)                                                               \
  do {                                                                                              \
    long rcx = (count), rsi = (long)(from), rdi = (long)(to);                                       \
    say("%s\n", text);                                                                              \
    __asm__ volatile(text "\n cld" : "+c"(rcx), "+S"(rsi), "+D"(rdi) : "a"(0x5a) : "memory", "cc"); \
    say("  end: rcx %ld rsi +%ld rdi +%ld\n", rcx, rsi - (long)source, rdi - (long)target);         \
  } while (0)

int main(void) {
  source = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  target = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(source != MAP_FAILED && target != MAP_FAILED);
  handle(SIGSEGV, on_fault, 0);
  arm(1, -1);
  STRING("rep movsb", 300, source + 4000, target + 100);
  CHECK(memcmp(source + 4000, target + 100, 300) == 0);
  arm(-1, 1);
  STRING("rep movsq", 20, source + 16, target + 4096 - 80);
  CHECK(memcmp(source + 16, target + 4096 - 80, 160) == 0);
  arm(-1, 1);
  STRING("rep stosb", 200, source, target + 4096 - 50);
  CHECK(target[4096 + 149] == 0x5a && target[4096 + 150] == 0);
  arm(0, -1);
  STRING("std\n rep movsb", 200, source + 4096 + 99, target + 2000);
  CHECK(memcmp(source + 4096 - 100, target + 1801, 200) == 0);
  arm(1, 1);
  memset(source, 0, 4096), memset(target, 0, 4096);
  STRING("repe cmpsb", 8192, source + 1, target + 1);
  arm(-1, 1);
  STRING("repne scasb", 5000, source, target);
  return 0;
}

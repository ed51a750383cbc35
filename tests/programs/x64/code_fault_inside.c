/* Faults inside generated code report its own addresses, and the handler can repair the code and go on. */
#include <signal.h>
#include <ucontext.h>

#include "emit.h"

static byte *code;
static int repairs;

static void handler(int signo, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  long pc = (long)((uintptr_t)uc->uc_mcontext.gregs[REG_RIP] - (uintptr_t)code);
  CHECK(pc >= 0 && pc < JIT_PAGE);
  if (signo == SIGILL) CHECK(info->si_addr == code + pc);
  if (signo == SIGSEGV) CHECK(info->si_addr == NULL);
  if (repairs % 75 == 0) printf("signal %d at %ld\n", signo, pc);
  repairs++;
  memset(code + pc, 0x90, 2); /* both faulting instructions have two bytes */
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGILL, &sa, NULL) == 0 && sigaction(SIGSEGV, &sa, NULL) == 0);
  code = jit_map(JIT_PAGE);
  for (uint32_t i = 0; i < 300; i++) {
    byte *p = JIT_EMIT(code, "\xb8\x07\0\0\0\x31\xc9");                /* mov eax, 7; xor ecx, ecx */
    for (uint32_t k = 0; k < i % 50; k++) p = JIT_EMIT(p, "\xff\xc0"); /* inc eax */
    p = i % 2 ? JIT_EMIT(p, "\x0f\x0b") : JIT_EMIT(p, "\x8b\x01");     /* ud2 | mov eax, [rcx] */
    JIT_EMIT(p, "\xff\xc0\xc3");
    CHECK(jit_call(code) == 7 + i % 50 + 1);
  }
  printf("repairs %d\n", repairs);
  return 0;
}

/* A program that probes itself: int3 over the first byte of a function, undone by its own SIGTRAP handler. */
#include <signal.h>
#include <ucontext.h>

#include "jit.h"

__asm__(
    ".text\n"
    ".p2align 12\n"
    "probed:\n"
    "  lea 7(%rdi), %eax\n"
    "  imul %edi, %eax\n"
    "  ret\n"
    ".p2align 12\n");

extern byte probed[];

static byte saved;
static int hits;

static void handler(int signo, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  CHECK(signo == SIGTRAP && info->si_code == SI_KERNEL);
  CHECK(uc->uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)probed + 1);
  uc->uc_mcontext.gregs[REG_RIP]--;
  uc->uc_mcontext.gregs[REG_RDI] += 1; /* the probe may change arguments */
  *probed = saved;
  hits++;
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGTRAP, &sa, NULL) == 0);
  CHECK(mprotect(probed, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  int (*f)(int) = (int (*)(int))(uintptr_t)probed;
  saved = *probed;
  int sum = 0;
  for (int i = 0; i < 300; i++) {
    int armed = i % 3 == 0;
    if (armed) *probed = 0xcc;
    int got = f(i), k = i + armed;
    CHECK(got == (k + 7) * k);
    CHECK(*probed == saved);
    sum += got;
  }
  printf("hits %d, sum %d\n", hits, sum);
  return 0;
}

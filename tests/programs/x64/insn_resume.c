/* Handlers that change the context: skip an instruction, set its result, redirect the pc, fix a base. */
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "check.h"

__asm__(
    ".text\n"
    "load: mov (%rdi), %rax\n" /* three bytes */
    "  lea 1(%rax), %rax\n"
    "  ret\n"
    "undefined: mov $3, %eax\n"
    "  stc\n"
    "  ud2\n"
    "  adc $10, %eax\n" /* the flags survive the trap */
    "  ret\n"
    "landing: mov $99, %eax\n"
    "  ret\n"
    "store: mov %esi, (%rdi)\n"
    "  mov %rdi, %rax\n"
    "  ret\n");
extern long load(long *), undefined(void), store(long *, int);
extern char landing[];

static int mode;
static long cell = 41;

static void handler(int signo, siginfo_t *info, void *context) {
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)signo, (void)info;
  if (mode == 0) r[REG_RAX] = 500, r[REG_RIP] += 3;         /* emulate */
  if (mode == 1) r[REG_RDI] = (greg_t)(uintptr_t)&cell;     /* repair and retry */
  if (mode == 2) r[REG_RIP] += 2;                           /* skip */
  if (mode == 3) r[REG_RIP] = (greg_t)(uintptr_t)landing;   /* elsewhere */
  if (mode == 4) r[REG_RIP] += 2, r[REG_EFL] &= ~(greg_t)1; /* clear the carry */
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGSEGV, &sa, NULL) == 0 && sigaction(SIGILL, &sa, NULL) == 0);
  for (int i = 0; i < 200; i++) {
    mode = 0;
    CHECK(load(NULL) == 501);
    mode = 1;
    CHECK(load(NULL) == cell + 1);
    CHECK(store(NULL, 1000 + i) == (long)(uintptr_t)&cell && cell == 1000 + i);
    mode = 2;
    CHECK(undefined() == 14);
    mode = 3;
    CHECK(load(NULL) == 99 && undefined() == 99);
    mode = 4;
    CHECK(undefined() == 13);
  }
  printf("cell %ld\n", cell);
  return 0;
}

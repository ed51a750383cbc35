/* The processor remembers where the last x87 instruction was, and a handler is shown that. */
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static volatile long double number = 1;
static volatile int is_known;

static void on_signal(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)info;
#ifdef __x86_64__
  is_known = ((ucontext_t *)context)->uc_mcontext.fpregs->rip != 0;
#else
  (void)context;
#endif
}

void calculated(void) {
  __asm__ volatile("");
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  number = number * 3 + 1;
  calculated();
  raise(SIGUSR1);
  printf("%d\n", is_known);
  return 0;
}

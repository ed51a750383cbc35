/* SS_AUTODISARM: the alternate stack is off inside its handler, may be changed there, and comes back
 * after. */
#include "sys_helpers.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static char stack_a[65536], stack_b[65536];

static const char *where(void *p) {
  char *c = p;
  return c >= stack_a && c < stack_a + sizeof stack_a   ? "a"
         : c >= stack_b && c < stack_b + sizeof stack_b ? "b"
                                                        : "elsewhere";
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  stack_t now;
  (void)info;
  CHECK(sigaltstack(NULL, &now) == 0);
  say("SIG%s runs on %s, armed %d, context stack %s flags %x\n", sigabbrev_np(sig), where(&now),
      !(now.ss_flags & SS_DISABLE), where(uc->uc_stack.ss_sp), (unsigned)uc->uc_stack.ss_flags);
  if (sig != SIGUSR1) return;
  stack_t b = {.ss_sp = stack_b, .ss_size = sizeof stack_b};
  say("set another: %s\n", outcome(sigaltstack(&b, NULL)));
  raise(SIGUSR2);
}

int main(void) {
  stack_t a = {.ss_sp = stack_a, .ss_size = sizeof stack_a, .ss_flags = (int)SS_AUTODISARM}, now;
  handle(SIGUSR1, on_signal, SA_ONSTACK);
  handle(SIGUSR2, on_signal, SA_ONSTACK);
  CHECK(sigaltstack(&a, NULL) == 0);
  for (int i = 0; i < 2; i++) {
    raise(SIGUSR1);
    CHECK(sigaltstack(NULL, &now) == 0);
    say("after: stack %s flags %x\n", where(now.ss_sp), (unsigned)now.ss_flags);
  }
  return 0;
}

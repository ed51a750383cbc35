/* sigaltstack: reported state outside and inside a handler, EPERM while in use, bad sizes and flags. */
#include "sys_helpers.h"
#include <sys/auxv.h>

static char stack_a[65536], stack_b[65536];

static const char *where(void *p) {
  char *c = p;
  return c >= stack_a && c < stack_a + sizeof stack_a   ? "a"
         : c >= stack_b && c < stack_b + sizeof stack_b ? "b"
                                                        : "elsewhere";
}

static void show_stack(const char *when) {
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0);
  say("  %s: stack %s size %zu flags %x\n", when, now.ss_sp ? where(now.ss_sp) : "none", now.ss_size,
      (unsigned)now.ss_flags);
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  char here;
  (void)info;
  say("  handler of SIG%s runs on %s; context says %s size %zu flags %x\n", sigabbrev_np(sig), where(&here),
      where(uc->uc_stack.ss_sp), uc->uc_stack.ss_size, (unsigned)uc->uc_stack.ss_flags);
  show_stack("in handler");
  say("  change: %s\n", outcome(sigaltstack(&(stack_t){.ss_sp = stack_b, .ss_size = sizeof stack_b}, NULL)));
  if (sig == SIGUSR1) raise(SIGUSR2);
}

int main(void) {
  stack_t a = {.ss_sp = stack_a, .ss_size = sizeof stack_a}, old;
  show_stack("at start");
  handle(SIGUSR1, on_signal, SA_ONSTACK);
  handle(SIGUSR2, on_signal, SA_ONSTACK);
  handle(SIGTERM, on_signal, 0);
  CHECK(sigaltstack(&a, &old) == 0);
  say("previous flags %x\n", (unsigned)old.ss_flags);
  show_stack("set");
  say("nested on the same stack\n");
  raise(SIGUSR1);
  CHECK(sigaltstack(&a, NULL) == 0);
  say("handler without SA_ONSTACK\n");
  raise(SIGTERM);
  show_stack("after it changed the stack");
  CHECK(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == 0);
  show_stack("off");
  say("SA_ONSTACK with none\n");
  raise(SIGUSR2);
  size_t least = getauxval(AT_MINSIGSTKSZ);
  say("too small: %s\n", outcome(sigaltstack(&(stack_t){.ss_sp = stack_a, .ss_size = 1000}, NULL)));
  say("just enough: %s\n", outcome(sigaltstack(&(stack_t){.ss_sp = stack_a, .ss_size = least}, NULL)));
  say("bad flags: %s\n",
      outcome(sigaltstack(&(stack_t){.ss_sp = stack_a, .ss_size = 65536, .ss_flags = 77}, NULL)));
  return 0;
}

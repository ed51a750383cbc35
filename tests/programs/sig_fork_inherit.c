/* Over fork: handlers, masks and the alternate stack are kept, pending signals and timers are not. */
#include "sys_helpers.h"

static char alternate[65536];
static volatile int handled;

static void on_signal(int sig, siginfo_t *info, void *context) {
  char here;
  (void)sig, (void)info, (void)context;
  handled += &here >= alternate && &here < alternate + sizeof alternate ? 1 : 100;
}

int main(void) {
  struct itimerval timer = {{100, 0}, {100, 0}}, left;
  CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
  handle(SIGUSR1, on_signal, SA_ONSTACK);
  handle(SIGUSR2, on_signal, SA_ONSTACK);
  mask_one(SIG_BLOCK, SIGUSR2);
  raise(SIGUSR2);
  sigqueue(getpid(), SIGUSR2, (union sigval){0});
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0 && setitimer(ITIMER_PROF, &timer, NULL) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  const char *who = child ? "parent" : "child";
  if (child) say_status("child", reap(child));
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0 && raise(SIGUSR1) == 0);
  say("%s: stack %d size %zu, handled on it %d\n", who, now.ss_sp == alternate, now.ss_size, handled);
  say("%s: blocked %d pending %d\n", who, is_blocked(SIGUSR2), is_pending(SIGUSR2));
  CHECK(getitimer(ITIMER_REAL, &left) == 0);
  say("%s: real timer runs %d", who, left.it_value.tv_sec > 0);
  CHECK(getitimer(ITIMER_PROF, &left) == 0);
  say(", profiling timer runs %d\n", left.it_value.tv_sec > 0);
  mask_one(SIG_UNBLOCK, SIGUSR2);
  say("%s: handled in the end %d\n", who, handled);
  return child ? 0 : 4;
}

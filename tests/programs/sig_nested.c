/* Handlers inside handlers, three signals deep and then recursive to depth 50, all returning in order. */
#include "sys_helpers.h"

static volatile int depth, deepest, again;

static void chain(int sig, siginfo_t *info, void *context) {
  (void)info, (void)context;
  say("%*senter SIG%s\n", 2 * depth, "", sigabbrev_np(sig));
  depth++;
  if (sig == SIGUSR1) raise(SIGUSR2);
  if (sig == SIGUSR2) raise(SIGTERM);
  if (sig == SIGTERM && !again++) raise(SIGUSR1); /* blocked: comes when its own handler has returned */
  depth--;
  say("%*sleave SIG%s\n", 2 * depth, "", sigabbrev_np(sig));
}

static void recurse(int sig, siginfo_t *info, void *context) {
  (void)info, (void)context;
  volatile long local[16];
  for (int i = 0; i < 16; i++) local[i] = depth * 100 + i;
  depth++;
  if (depth > deepest) deepest = depth;
  if (depth < 50) raise(sig);
  depth--;
  for (int i = 0; i < 16; i++) CHECK(local[i] == depth * 100 + i);
}

int main(void) {
  handle(SIGUSR1, chain, 0);
  handle(SIGUSR2, chain, 0);
  handle(SIGTERM, chain, 0);
  say("chain\n");
  raise(SIGUSR1);
  handle(SIGTERM, recurse, SA_NODEFER);
  raise(SIGTERM);
  say("deepest %d, back at %d\n", deepest, depth);
  return 0;
}

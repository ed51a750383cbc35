/* Several signals unblocked at once: in which order handlers run, standard ones merged, real-time ones
 * queued. */
#include "sys_helpers.h"

static volatile int depth;

static void show(int sig, siginfo_t *info, void *context) {
  (void)context;
  depth++;
  say("  depth %d signal %d value %d\n", depth, sig,
      info->si_code == SI_QUEUE ? info->si_value.sival_int : -1);
  depth--;
}

static void send_all(void) {
  const int order[] = {SIGTERM, SIGRTMAX,     SIGUSR1,  SIGRTMIN, SIGHUP,
                       SIGUSR1, SIGRTMIN + 1, SIGRTMIN, SIGUSR2};
  for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
    CHECK(sigqueue(getpid(), order[i], (union sigval){.sival_int = i}) == 0);
}

static void run(const char *what, int block_all_in_handler) {
  struct sigaction action = {.sa_sigaction = show, .sa_flags = SA_SIGINFO};
  const int signals[] = {SIGTERM, SIGRTMAX, SIGUSR1, SIGRTMIN, SIGHUP, SIGRTMIN + 1, SIGUSR2};
  sigset_t set, old;
  sigemptyset(&action.sa_mask), sigemptyset(&set);
  if (block_all_in_handler) sigfillset(&action.sa_mask);
  for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    sigaddset(&set, signals[i]);
    CHECK(sigaction(signals[i], &action, NULL) == 0);
  }
  say("%s\n", what);
  CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
  send_all();
  CHECK(sigpending(&set) == 0);
  for (int sig = 1; sig <= 64; sig++)
    if (sigismember(&set, sig) == 1) say("  pending %d\n", sig);
  CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
}

int main(void) {
  run("handlers that block nothing else", 0);
  run("handlers that block all", 1);
  return 0;
}

/* execve from inside a handler, on the alternate stack: the new program starts with that signal still
 * blocked. */
#include "sys_helpers.h"

static char alternate[65536], *name;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  execl("/proc/self/exe", name, "again", (char *)NULL);
  CHECK(!"execl returned");
}

int main(int argc, char **argv) {
  if (argc > 1) {
    stack_t now;
    CHECK(sigaltstack(NULL, &now) == 0);
    say("blocked USR1 %d USR2 %d ALRM %d, alternate stack off %d\n", is_blocked(SIGUSR1), is_blocked(SIGUSR2),
        is_blocked(SIGALRM), (now.ss_flags & SS_DISABLE) != 0);
    return 6;
  }
  name = argv[0];
  CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR2);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  say("executing from the handler\n");
  raise(SIGUSR1);
  return 1;
}

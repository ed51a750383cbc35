/* Raw rt_sigaction with the program's own restorer: the handler returns through it, and it does the return
 * itself. */
#include "sys_helpers.h"
#include <sys/syscall.h>

struct raw_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

volatile long restorer_count;
void own_restorer(void);
__asm__(
    ".text\n"
    "own_restorer: incq restorer_count(%rip)\n mov $15, %eax\n syscall\n");

static volatile int handled;
static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)info;
  handled++;
  if (sig == SIGILL) REG(context, REG_RIP) += 2;
}

int main(void) {
  struct raw_action action = {on_signal, SA_SIGINFO | 0x04000000, own_restorer, 0}, old;
  CHECK(syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8) == 0);
  action.mask = 1UL << (SIGTERM - 1);
  CHECK(syscall(SYS_rt_sigaction, SIGILL, &action, NULL, 8) == 0);
  CHECK(syscall(SYS_rt_sigaction, SIGILL, NULL, &old, 8) == 0);
  say("kept: flags %lx mask %lx restorer %d\n", old.flags, old.mask, old.restorer == own_restorer);
  for (int i = 0; i < 3; i++) CHECK(raise(SIGUSR1) == 0);
  __asm__ volatile("ud2");
  say("handled %d, by the restorer %ld\n", handled, restorer_count);
  no_core();
  pid_t child = fork();
  if (child == 0) { /* without SA_RESTORER there is no way to build the frame */
    action.flags = SA_SIGINFO;
    CHECK(syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 8) == 0);
    raise(SIGUSR2);
    _exit(0);
  }
  say_status("no restorer", reap(child));
  return 0;
}

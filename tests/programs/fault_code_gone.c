/* Children that take their own code away: they die of the fault, also when a handler is set, which is gone too; of what stops or kills them
 * meanwhile; and they can be continued after a stop. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5, PAGE = 4096 };
enum what { WAITED, HANDLED, IGNORED, STOPPED, CONTINUED, WHATS };

static void handler(int signo) {
  (void)signo;
  for (;;) continue;
}

/* All that lies below half of the address space, in steps, then this page. */
static void unmap_code(void) {
  for (size_t bytes = 1UL << 46; bytes > PAGE; bytes >>= 1) munmap((void *)PAGE, bytes);
  munmap((void *)((uintptr_t)unmap_code & ~(PAGE - 1UL)), PAGE);
  for (;;) continue;
}

static void child(enum what what) {
  if (what == HANDLED) signal(SIGSEGV, handler);
  if (what == IGNORED) signal(SIGSEGV, SIG_IGN);
  unmap_code();
}

/* Whether it died of SIGSEGV, or of SIGKILL after it was stopped in time. */
static int end_of(pid_t pid, enum what what) {
  int status = 0;
  if (what == STOPPED || what == CONTINUED) {
    kill(pid, SIGSTOP);
    waitpid(pid, &status, WUNTRACED);
    if (!WIFSTOPPED(status)) return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
    kill(pid, what == STOPPED ? SIGKILL : SIGCONT);
  }
  waitpid(pid, &status, 0);
  int signo = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return signo == SIGSEGV || (what == STOPPED && signo == SIGKILL);
}

int main(void) {
  static const char *const names[WHATS] = {"waited for", "with a handler", "ignored", "stopped", "continued"};
  for (enum what what = WAITED; what < WHATS; what++) {
    int died = 0;
    for (int i = 0; i < ROUNDS; i++) {
      pid_t pid = fork();
      if (!pid) child(what);
      died += end_of(pid, what);
    }
    printf("%s: %d of %d died\n", names[what], died, ROUNDS);
    fflush(stdout);
  }
  return 0;
}

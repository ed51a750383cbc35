/* prctl(PR_SET_TSC): a program that forbids itself to read the time has SIGSEGV from the counter and its frequency, and from nothing else; threads
 * and children inherit that, another program does not. Older kernels do not know the command on this machine. */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../trap.h"

static void tell(const char *name, int trapped) {
  dprintf(1, "%s: ", name);
  if (!trapped)
    dprintf(1, "a value\n");
  else
    dprintf(1, "signal %d, code %d, address %d\n", trap_seen.signo, trap_seen.code, trap_seen.address != 0);
}

#define READ(name)                                                            \
  do {                                                                        \
    int trapped = sigsetjmp(trap_home, 1);                                    \
    if (!trapped) __asm__ volatile("mrs x9, " name ::: "x9", "memory", "cc"); \
    tell(name, trapped);                                                      \
  } while (0)

static void read_all(void) {
  READ("cntvct_el0");
  READ("cntfrq_el0");
  READ("cntpct_el0");
  READ("ctr_el0");
  READ("midr_el1");
}

static void *run(void *unused) {
  READ("cntvct_el0");
  return unused;
}

int main(int count, char **arguments) {
  struct sigaction action = {.sa_sigaction = trap_handler, .sa_flags = SA_SIGINFO};
  int mode = -1;
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGILL, &action, NULL) == 0);
  if (prctl(PR_GET_TSC, &mode)) return 0;
  dprintf(1, "mode %d\n", mode);
  if (count > 1) return 0;
  dprintf(1, "forbidden: %d\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
  CHECK(prctl(PR_GET_TSC, &mode) == 0);
  dprintf(1, "mode %d, senseless: %d\n", mode, prctl(PR_SET_TSC, 7));
  read_all();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, run, NULL) == 0 && pthread_join(thread, NULL) == 0);
  if (!fork()) {
    READ("cntvct_el0");
    execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
    _exit(1);
  }
  CHECK(wait(NULL) > 0);
  CHECK(prctl(PR_SET_TSC, PR_TSC_ENABLE) == 0);
  read_all();
  return 0;
}

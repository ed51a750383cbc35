/* A timer's signals come while the kernel and the engine are busy with faults of the program: before the instruction, and at the first of its handler. What
 * came when is written to /dev/null. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

enum { FAULTS = 2000, PERIOD_US = 100 };

static volatile uint64_t history, alarms, faults;
static sigjmp_buf before;
static volatile int *volatile nowhere = (int *)16;

static void on_alarm(int signo) {
  (void)signo;
  alarms++;
  history = (history ^ faults) * 0x9e3779b97f4a7c15 + alarms;
}

static void on_fault(int signo) {
  (void)signo;
  faults++;
  history = history * 31 + 7;
  siglongjmp(before, 1);
}

static void on_trap(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)info, (void)context;
  faults++;
  history = history * 37 + 11;
#if defined(__aarch64__)
  ((ucontext_t *)context)->uc_mcontext.pc += 4;
#endif
}

static void trap(void) {
#if defined(__x86_64__)
  __asm__ volatile("int3");
#else
  __asm__ volatile("brk #0");
#endif
}

static void be_illegal(void) {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile(".inst 0");
#endif
}

int main(void) {
  int null = open("/dev/null", O_WRONLY);
  struct itimerval timer = {{0, PERIOD_US}, {0, PERIOD_US}};
  struct sigaction trapped = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  CHECK(null >= 0);
  signal(SIGALRM, on_alarm);
  signal(SIGSEGV, on_fault);
  signal(SIGILL, on_fault);
  sigaction(SIGTRAP, &trapped, NULL);
  CHECK(!setitimer(ITIMER_REAL, &timer, NULL));
  for (volatile int i = 0; i < FAULTS; i++) {
    if (i % 3 == 0)
      trap();
    else if (!sigsetjmp(before, 1)) {
      if (i % 3 == 1)
        *nowhere = 1;
      else
        be_illegal();
    }
    uint64_t seen[] = {history, alarms};
    if (i % 100 == 0) CHECK(write(null, seen, sizeof seen) == sizeof seen);
  }
  timer = (struct itimerval){0};
  CHECK(!setitimer(ITIMER_REAL, &timer, NULL));
  uint64_t seen[] = {history, alarms};
  CHECK(write(null, seen, sizeof seen) == sizeof seen);
  printf("%lu faults\n", (unsigned long)faults);
  return 0;
}

/* PR_SET_TSC: with the time-stamp counter forbidden rdtsc and rdtscp fault; allowed again they work; fork inherits. */
#include "sys_helpers.h"
#include <sys/prctl.h>

static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context) {
  unsigned char *pc = (unsigned char *)REG(context, REG_RIP);
  faults++;
  say("  SIG%s code %d at %02x %02x\n", sigabbrev_np(sig), info->si_code, pc[0], pc[1]);
  REG(context, REG_RIP) += pc[1] == 0x31 ? 2 : 3;
}

static void read_counters(const char *when) {
  unsigned processor;
  say("%s\n", when);
  faults = 0;
  __builtin_ia32_rdtsc();
  __builtin_ia32_rdtscp(&processor);
  say("  faults %d\n", faults);
}

int main(void) {
  int mode = 0;
  handle(SIGSEGV, on_fault, 0);
  CHECK(prctl(PR_GET_TSC, &mode) == 0);
  say("mode %d\n", mode);
  read_counters("allowed");
  CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0 && prctl(PR_GET_TSC, &mode) == 0);
  say("mode %d\n", mode);
  read_counters("forbidden");
  pid_t child = fork();
  if (child == 0) {
    read_counters("in a child");
    _exit(faults);
  }
  say_status("child", reap(child));
  CHECK(prctl(PR_SET_TSC, PR_TSC_ENABLE) == 0);
  read_counters("allowed again");
  return 0;
}

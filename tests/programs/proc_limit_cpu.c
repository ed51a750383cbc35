/* RLIMIT_CPU: SIGXCPU after a second of processor time, fatal by default. */
#include "sys_helpers.h"

int main(void) {
  no_core();
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(setrlimit(RLIMIT_CPU, &(struct rlimit){1, 100}) == 0 && signal(SIGXCPU, SIG_DFL) != SIG_ERR);
    for (volatile unsigned long i = 0;; i++) continue;
  }
  say_status("a second of processor time", reap(child));
  return 0;
}

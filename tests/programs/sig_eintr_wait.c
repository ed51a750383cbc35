/* wait4, waitid and waiting on a futex: EINTR without SA_RESTART, restarted with it. */
#include "sig_interrupt.h"
#include <linux/futex.h>
#include <sys/syscall.h>

static int word = 1, gate[2];
static pid_t child;

static long do_wait4(void) {
  return wait4(child, NULL, 0, NULL) > 0 ? 0 : -1;
}
static long do_waitid(void) {
  return waitid(P_PID, child, &(siginfo_t){0}, WEXITED);
}
static long do_futex(void) {
  return syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
}
static long do_futex_timeout(void) {
  return syscall(SYS_futex, &word, FUTEX_WAIT, 1, &(struct timespec){60, 0}, NULL, 0);
}
static void open_gate(void) {
  CHECK(write(gate[1], "g", 1) == 1);
}

static void start_child(void) {
  CHECK(pipe(gate) == 0 && (child = fork()) >= 0);
  if (child == 0) _exit(read(gate[0], &(char){0}, 1) != 1);
}

int main(void) {
  start_child();
  interrupted("wait4", 0, do_wait4);
  restarted("wait4", do_wait4, open_gate);
  start_child();
  interrupted("waitid", 0, do_waitid);
  restarted("waitid", do_waitid, open_gate);
  interrupted("futex", 0, do_futex);
  interrupted("futex with timeout", 0, do_futex_timeout);
  word = 2;
  say("futex with another value: %s\n", outcome(do_futex()));
  struct timespec soon = {0, 1000000};
  say("futex timing out: %s\n", outcome(syscall(SYS_futex, &word, FUTEX_WAIT, 2, &soon, NULL, 0)));
  return 0;
}

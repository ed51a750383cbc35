/* Orphans: adopted by a subreaper, which can wait for them; the parent-death signal arrives. */
#include "sys_helpers.h"
#include <sys/prctl.h>

int main(void) {
  int report[2], gate[2];
  char byte;
  CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && pipe(report) == 0 && pipe(gate) == 0);
  pid_t reaper = getpid(), child = fork();
  if (child == 0) {
    pid_t middle = getpid();
    if (fork() == 0) {
      CHECK(getppid() == middle && write(report[1], "r", 1) == 1);
      CHECK(read(gate[0], &byte, 1) == 1);
      _exit(getppid() == reaper ? 30 : 31);
    }
    CHECK(read(report[0], &byte, 1) == 1);
    _exit(20);
  }
  say_status("middle", reap(child));
  CHECK(write(gate[1], "g", 1) == 1);
  int status;
  pid_t orphan = wait(&status);
  CHECK(orphan > 0 && orphan != child);
  say_status("orphan, adopted", status);

  child = fork();
  if (child == 0) {
    if (fork() == 0) {
      mask_one(SIG_BLOCK, SIGUSR1);
      CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0 && write(report[1], "r", 1) == 1);
      sigset_t set;
      siginfo_t info;
      sigemptyset(&set);
      sigaddset(&set, SIGUSR1);
      CHECK(sigwaitinfo(&set, &info) == SIGUSR1 && read(gate[0], &byte, 1) == 1);
      say("death signal: code %d\n", info.si_code);
      _exit(40);
    }
    CHECK(read(report[0], &byte, 1) == 1);
    _exit(41);
  }
  say_status("dying parent", reap(child));
  CHECK(write(gate[1], "g", 1) == 1);
  CHECK(wait(&status) > 0);
  say_status("its child", status);
  child = fork();
  if (child == 0) { /* cleared in a child */
    int sig = -1;
    CHECK(prctl(PR_GET_PDEATHSIG, &sig) == 0);
    _exit(sig);
  }
  say_status("not inherited", reap(child));
  return 0;
}

/* A stopped process group whose last tie to its session dies gets SIGHUP and SIGCONT. */
#include "sys_helpers.h"
#include <sys/prctl.h>

static int report[2];
static volatile int order;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)context;
  unsigned char record[2] = {sig, info->si_code == SI_KERNEL};
  CHECK(write(report[1], record, 2) == 2);
  order++;
}

int main(void) {
  int ready[2];
  CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && pipe(report) == 0 && pipe(ready) == 0);
  pid_t leader = fork();
  CHECK(leader >= 0);
  if (leader == 0) {
    CHECK(setsid() == getpid());
    pid_t job = fork();
    CHECK(job >= 0);
    if (job == 0) {
      handle(SIGHUP, on_signal, 0);
      handle(SIGCONT, on_signal, 0);
      CHECK(setpgid(0, 0) == 0);
      mask_one(SIG_BLOCK, SIGHUP), mask_one(SIG_BLOCK, SIGCONT);
      raise(SIGSTOP);
      sigset_t none;
      sigemptyset(&none);
      while (order < 2) sigsuspend(&none);
      _exit(getppid() == getsid(0) ? 1 : 2);
    }
    int status;
    CHECK(waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status));
    CHECK(write(ready[1], &job, sizeof job) == sizeof job);
    _exit(0);
  }
  pid_t job;
  CHECK(read(ready[0], &job, sizeof job) == sizeof job);
  say_status("leader", reap(leader));
  unsigned char records[4];
  CHECK(read(report[0], records, 2) == 2 && read(report[0], records + 2, 2) == 2);
  say("SIGHUP %d SIGCONT %d by the kernel %d\n", records[0] == SIGHUP || records[2] == SIGHUP,
      records[0] == SIGCONT || records[2] == SIGCONT, records[1] && records[3]);
  say_status("job", reap(job));
  return 0;
}

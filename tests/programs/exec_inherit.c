/* What a new program keeps: ids, group, session, umask, directory, limits, niceness, the alarm; not its
 * name or timers. */
#include "exec_helpers.h"
#include <sys/prctl.h>
#include <time.h>

int main(int argc, char **argv) {
  char here[4096], name[17] = "";
  struct rlimit limit;
  if (argc > 1) {
    mode_t mask = umask(0);
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0 && prctl(PR_GET_NAME, name) == 0);
    say("pid %d ppid %d group %d session %d\n", getpid() == atoi(argv[1]), getppid() == atoi(argv[2]),
        getpgrp() == getpid(), getsid(0) == getpid());
    say("umask %o directory %s limit %lu nice %d\n", mask, getcwd(here, sizeof here), limit.rlim_cur,
        getpriority(PRIO_PROCESS, 0));
    int death = -1;
    CHECK(prctl(PR_GET_PDEATHSIG, &death) == 0);
    say("name %s death signal %d no new privileges %d\n", name, death,
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    struct itimerspec left;
    say("posix timer: %s\n", outcome(timer_gettime((timer_t)0, &left)));
    say("alarm left %d\n", alarm(0) > 500);
    return 0;
  }
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    timer_t timer;
    char own[16], above[16];
    limit = (struct rlimit){123456, 654321};
    CHECK(setsid() == getpid() && (umask(0137), 1) && chdir("/usr/lib") == 0 &&
          setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(nice(3) != -1 && alarm(1000) == 0 && prctl(PR_SET_NAME, "renamed") == 0);
    CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR2) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
    snprintf(own, sizeof own, "%d", getpid()), snprintf(above, sizeof above, "%d", parent);
    execl("/proc/self/exe", "name", own, above, (char *)NULL);
    CHECK(!"execl returned");
  }
  say_status("child", reap(child));
  return 0;
}

/* prctl, personality, names, priorities, scheduling and affinity: set, asked back, refused. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

static void *thread(void *argument) {
  char name[32] = "";
  CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  say("thread inherits the name %s\n", name);
  CHECK(pthread_setname_np(pthread_self(), "worker") == 0);
  return argument;
}

int main(void) {
  char name[17] = "", line[64] = "";
  CHECK(prctl(PR_SET_NAME, "a name that is too long") == 0 && prctl(PR_GET_NAME, name) == 0);
  FILE *comm = fopen("/proc/self/comm", "r");
  CHECK(comm && fgets(line, sizeof line, comm));
  say("name %s, comm %s", name, line);
  fclose(comm);
  pthread_t worker;
  CHECK(pthread_create(&worker, NULL, thread, NULL) == 0 && pthread_join(worker, NULL) == 0);
  CHECK(prctl(PR_GET_NAME, name) == 0);
  say("main's name stays %s\n", name);
  say("dumpable %d", prctl(PR_GET_DUMPABLE));
  CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
  say(" then %d, bad: %s\n", prctl(PR_GET_DUMPABLE), outcome(prctl(PR_SET_DUMPABLE, 7)));
  say("keep capabilities %d", prctl(PR_GET_KEEPCAPS));
  CHECK(prctl(PR_SET_KEEPCAPS, 1) == 0);
  say(" then %d\n", prctl(PR_GET_KEEPCAPS));
  CHECK(prctl(PR_SET_TIMERSLACK, 12345UL) == 0);
  say("timer slack %d\n", prctl(PR_GET_TIMERSLACK));
  int signal_number = 0;
  CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR2) == 0 && prctl(PR_GET_PDEATHSIG, &signal_number) == 0);
  say("death signal %d, bad: %s\n", signal_number, outcome(prctl(PR_SET_PDEATHSIG, 99)));
  say("unknown option: %s\n", outcome(prctl(123456, 0, 0, 0, 0)));
  struct utsname system;
  CHECK(personality(PER_LINUX | UNAME26) >= 0 && uname(&system) == 0);
  say("personality %x, release starts with 2.6 %d\n", (unsigned)personality(0xffffffff),
      strncmp(system.release, "2.6", 3) == 0);
  CHECK(personality(PER_LINUX) >= 0);
  errno = 0;
  int before = getpriority(PRIO_PROCESS, 0), nicer = nice(2);
  say("nice by two %d, asked back %d\n", nicer - before, getpriority(PRIO_PROCESS, 0) - before);
  struct sched_param parameters = {0};
  say("policy %d priority range %d %d\n", sched_getscheduler(0), sched_get_priority_min(SCHED_FIFO),
      sched_get_priority_max(SCHED_FIFO));
  CHECK(sched_setscheduler(0, SCHED_BATCH, &parameters) == 0);
  say("policy %d, bad: %s\n", sched_getscheduler(0), outcome(sched_setscheduler(0, 77, &parameters)));
  cpu_set_t all, one, now;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0 && sched_getaffinity(0, sizeof now, &now) == 0);
  say("pinned %d, runs there %d\n", CPU_EQUAL(&one, &now), CPU_ISSET(sched_getcpu(), &one));
  CPU_ZERO(&one);
  say("empty set: %s\n", outcome(sched_setaffinity(0, sizeof one, &one)));
  return 0;
}

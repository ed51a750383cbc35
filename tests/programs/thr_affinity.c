/* sched_setaffinity, sched_getaffinity, getcpu and sched_yield agree with each other in every thread. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "check.h"

static void *pin(void *arg) {
  cpu_set_t all, one, now;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  int visited = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&one, &now));
    for (int i = 0; i < 20; i++) {
      unsigned where;
      CHECK(getcpu(&where, NULL) == 0 && (int)where == cpu);
      CHECK(sched_getcpu() == cpu);
      CHECK(sched_yield() == 0);
    }
    visited++;
  }
  CHECK(visited == CPU_COUNT(&all));
  CPU_ZERO(&one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == -1 && errno == EINVAL);
  CHECK(sched_getaffinity(0, 1, &now) == -1 && errno == EINVAL);
  return arg;
}

int main(void) {
  cpu_set_t before, after;
  CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
  pthread_t t[3];
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, pin, NULL) == 0);
  for (int i = 0; i < 3; i++) CHECK(pthread_join(t[i], NULL) == 0);
  CHECK(sched_getaffinity(0, sizeof after, &after) == 0);
  printf("the main thread's affinity is %s\n", CPU_EQUAL(&before, &after) ? "untouched" : "changed");
  return 0;
}

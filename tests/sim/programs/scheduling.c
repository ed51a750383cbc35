/* scheduling.c: what an ordinary program asks about its scheduling, its group and its memory, and what it may not change. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
  struct sched_param parameter = {.sched_priority = 7};
  unsigned cpu = 99;
  printf("policy %d", sched_getscheduler(0));
  printf(" %d", sched_getparam(0, &parameter));
  printf(" %d\n", parameter.sched_priority);
  printf("priorities %d %d", sched_get_priority_min(SCHED_FIFO), sched_get_priority_max(SCHED_FIFO));
  printf(" %d %d", sched_get_priority_min(SCHED_OTHER), sched_get_priority_max(SCHED_OTHER));
  printf(" %d", sched_get_priority_max(77));
  printf(" %d\n", errno == EINVAL);
  printf("set %d", sched_setscheduler(0, SCHED_BATCH, &parameter));
  parameter.sched_priority = 5;
  printf(" %d", sched_setparam(0, &parameter));
  printf(" %d\n", errno == EINVAL);
  errno = 0;
  getpriority(PRIO_PROCESS, 0);
  printf("nice %d\n", errno);
  printf("cpu %d", getcpu(&cpu, NULL));
  printf(" %d\n", cpu < 64);
  printf("group %d %d\n", getpgid(0) == getpgrp(), getsid(0) > 0);
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("locked %d", mlock(page, 4096));
  printf(" %d", munlock(page, 4096));
  munmap(page, 4096);
  printf(" %d", mlock(page, 4096));
  printf(" %d\n", errno == ENOMEM);
  return 0;
}

/* Changing ids in a threaded program changes them in every thread, also ones that compute or sleep. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>

enum { THREADS = 3, GROUP = 12345 };
static atomic_int ready, done, changed;

static void *thread(void *argument) {
  volatile unsigned long x = 1;
  ready++;
  while (!done) { /* one computes, the others sleep */
    x = x * 31 + 7;
    if ((long)argument > 0) usleep(1000);
  }
  gid_t real, effective, saved;
  CHECK(syscall(SYS_getresgid, &real, &effective, &saved) == 0);
  changed += effective == GROUP;
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  if (geteuid() != 0) return 0;
  for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, thread, (void *)i) == 0);
  while (ready < THREADS) sched_yield();
  gid_t before = getegid();
  for (int i = 0; i < 3; i++) CHECK(setegid(GROUP) == 0 && setegid(before) == 0);
  CHECK(setegid(GROUP) == 0);
  done = 1;
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  say("changed in %d of %d threads, in main %d\n", changed, THREADS, getegid() == GROUP);
  return 0;
}

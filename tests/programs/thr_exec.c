/* execve from a thread other than the first, while others compute: one thread, same pid, fresh memory. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "check.h"

static atomic_int running;
static int generation; /* stays 0 in every new image */

static void *spin(void *arg) {
  atomic_fetch_add(&running, 1);
  for (;;) __asm__ volatile("");
  return arg;
}

static void *replace(void *arg) {
  char pid[16], round[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  snprintf(round, sizeof round, "%d", (int)(long)arg + 1);
  execl("/proc/self/exe", "thr_exec", round, pid, NULL);
  CHECK(!"execl failed");
  return NULL;
}

int main(int argc, char **argv) {
  int round = argc > 1 ? atoi(argv[1]) : 0;
  CHECK(generation == 0);
  generation = 1;
  if (argc > 2) {
    CHECK(atoi(argv[2]) == getpid());
    CHECK(getpid() == (pid_t)syscall(SYS_gettid));
  }
  printf("image %d\n", round);
  fflush(stdout);
  if (round == 3) return 12;
  pthread_t t;
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&t, NULL, spin, NULL) == 0);
  while (atomic_load(&running) < 3) sched_yield();
  CHECK(pthread_create(&t, NULL, replace, (void *)(long)round) == 0);
  pthread_join(t, NULL);
  return 1;
}

/* A robust mutex in memory that processes share, whose owner is killed by another: it is the next one's, who is told so. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

enum { MUTEXES = 3 };
struct shared {
  pthread_mutex_t mutexes[MUTEXES];
  volatile int taken;
  volatile int turns;
};

static int lock(pthread_mutex_t *mutex) {
  int result = pthread_mutex_lock(mutex);
  CHECK(result == 0 || result == EOWNERDEAD);
  if (result) CHECK(pthread_mutex_consistent(mutex) == 0);
  return result;
}

static void hold(struct shared *s, int round) {
  for (int i = 0; i < MUTEXES; i++) lock(&s->mutexes[i]);
  s->taken = 1;
  if (round % 2 == 0)
    for (;;) pause();
  for (;;) s->turns++;
}

int main(void) {
  struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(s != MAP_FAILED);
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
  for (int i = 0; i < MUTEXES; i++) CHECK(pthread_mutex_init(&s->mutexes[i], &attributes) == 0);
  for (int round = 0; round < 8; round++) {
    s->taken = 0;
    pid_t owner = fork(), waiter = -1;
    CHECK(owner >= 0);
    if (owner == 0) hold(s, round);
    while (!s->taken) usleep(100);
    if (round % 4 >= 2) { /* somebody waits for it already */
      waiter = fork();
      CHECK(waiter >= 0);
      if (waiter == 0) _exit(lock(&s->mutexes[1]) == EOWNERDEAD && !pthread_mutex_unlock(&s->mutexes[1]));
    }
    CHECK(kill(owner, SIGKILL) == 0);
    int status = -1, told = 0;
    if (round % 3 == 0) CHECK(waitpid(owner, &status, 0) == owner);
    for (int i = 0; i < MUTEXES; i++) {
      told += lock(&s->mutexes[i]) == EOWNERDEAD;
      CHECK(pthread_mutex_unlock(&s->mutexes[i]) == 0);
    }
    if (round % 3) CHECK(waitpid(owner, &status, 0) == owner);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    if (waiter > 0) CHECK(waitpid(waiter, &status, 0) == waiter && WIFEXITED(status));
    if (waiter > 0) told += WEXITSTATUS(status);
    printf("%d told\n", told);
  }
  return 0;
}

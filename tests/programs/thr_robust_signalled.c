/* Robust mutexes in memory that processes share, whose owners, two threads of a process, end by a signal that they do not catch: they
 * are the next one's, who is told so. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

struct shared {
  pthread_mutex_t mutexes[2]; /* of the first thread and of the second */
  pthread_barrier_t held;
  volatile int turns;
};

static int lock(pthread_mutex_t *mutex) {
  int result = pthread_mutex_lock(mutex);
  CHECK(result == 0 || result == EOWNERDEAD);
  if (result) CHECK(pthread_mutex_consistent(mutex) == 0);
  return result;
}

static void *second(void *argument) {
  struct shared *s = argument;
  lock(&s->mutexes[1]);
  pthread_barrier_wait(&s->held);
  while (s->turns >= 0) s->turns ^= 1;
  return NULL;
}

static void hold(struct shared *s, int signo, int sends_itself) {
  pthread_t thread;
  lock(&s->mutexes[0]);
  CHECK(pthread_create(&thread, NULL, second, s) == 0);
  pthread_barrier_wait(&s->held);
  if (sends_itself) raise(signo);
  for (;;) pause();
}

int main(void) {
  struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(s != MAP_FAILED);
  pthread_mutexattr_t ma;
  pthread_barrierattr_t ba;
  CHECK(pthread_mutexattr_init(&ma) == 0 && pthread_barrierattr_init(&ba) == 0);
  CHECK(pthread_mutexattr_setrobust(&ma, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED) == 0);
  CHECK(pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_mutex_init(&s->mutexes[i], &ma) == 0);
  CHECK(pthread_barrier_init(&s->held, &ba, 3) == 0);
  const int signals[] = {SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGPIPE, SIGABRT, SIGRTMIN + 3};
  for (size_t round = 0; round < 2 * sizeof signals / sizeof *signals; round++) {
    int signo = signals[round / 2], sends_itself = round % 2, status = -1, told = 0;
    pid_t owner = fork();
    CHECK(owner >= 0);
    if (owner == 0) hold(s, signo, sends_itself);
    pthread_barrier_wait(&s->held);
    if (!sends_itself) CHECK(kill(owner, signo) == 0);
    for (int i = 0; i < 2; i++) {
      told += lock(&s->mutexes[i]) == EOWNERDEAD;
      CHECK(pthread_mutex_unlock(&s->mutexes[i]) == 0);
    }
    CHECK(waitpid(owner, &status, 0) == owner && WIFSIGNALED(status) && WTERMSIG(status) == signo);
    printf("%d told\n", told);
  }
  return 0;
}

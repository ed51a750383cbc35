/* A robust process-shared mutex whose owner process exits, is killed, or calls execve while others wait. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

struct shared {
  pthread_mutex_t mutex;
  pthread_barrier_t held;
  int value;
};

static void die(struct shared *s, int how) {
  CHECK(pthread_mutex_lock(&s->mutex) == 0);
  s->value += 1;
  pthread_barrier_wait(&s->held);
  if (how == 0) _exit(0);
  if (how == 1) raise(SIGKILL);
  execl("/bin/true", "true", NULL);
  _exit(98);
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
  CHECK(pthread_mutex_init(&s->mutex, &ma) == 0 && pthread_barrier_init(&s->held, &ba, 2) == 0);
  static const char *const name[] = {"exit", "kill", "exec"};
  for (int how = 0; how < 3; how++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) die(s, how);
    pthread_barrier_wait(&s->held);
    int result = pthread_mutex_lock(&s->mutex);
    printf("%s: %s, value %d\n", name[how], result == EOWNERDEAD ? "EOWNERDEAD" : "?", s->value);
    CHECK(pthread_mutex_consistent(&s->mutex) == 0 && pthread_mutex_unlock(&s->mutex) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("  status %x\n", (unsigned)status);
  }
  return 0;
}

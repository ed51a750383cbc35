/* Many threads call _exit at the same moment, in many processes: always one status, never a hang. */
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

static pthread_barrier_t barrier;

static void *leave(void *arg) {
  pthread_barrier_wait(&barrier);
  _exit((int)(long)arg);
}

int main(void) {
  int exited = 0, plausible = 0;
  for (int round = 0; round < 30; round++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      pthread_t t;
      CHECK(pthread_barrier_init(&barrier, NULL, 6) == 0);
      for (long i = 1; i < 6; i++) CHECK(pthread_create(&t, NULL, leave, (void *)i) == 0);
      leave((void *)6);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    exited += WIFEXITED(status);
    plausible += WEXITSTATUS(status) >= 1 && WEXITSTATUS(status) <= 6;
  }
  printf("exited %d, with a thread's status %d\n", exited, plausible);
  return 0;
}

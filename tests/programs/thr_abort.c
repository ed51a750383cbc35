/* A thread that dies of a signal takes the whole process with it: abort, a null store, SIGKILL. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

static int *volatile nowhere;

static void *die(void *arg) {
  switch ((long)arg) {
    case 0:
      abort();
    case 1:
      *nowhere = 1;
      break;
    case 2:
      raise(SIGKILL);
      break;
    case 3:
      raise(SIGTERM);
      break;
    case 4:
      __builtin_trap();
  }
  return NULL;
}

int main(void) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  for (long how = 0; how < 5; how++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      pthread_t t;
      CHECK(pthread_create(&t, NULL, die, (void *)how) == 0);
      for (;;) pause();
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("%ld: signalled %d, signal %d\n", how, WIFSIGNALED(status), WTERMSIG(status));
  }
  fflush(stdout);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, die, (void *)3) == 0);
  pthread_join(t, NULL);
  return 0;
}

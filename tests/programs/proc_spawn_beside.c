/* One thread starts programs, another one waits in the kernel. With an argument for ever. */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "check.h"

extern char **environ;
static int ends[2];

static void *wait_for_bytes(void *sum) {
  char bytes[64];
  ssize_t count;
  while ((count = read(ends[0], bytes, sizeof bytes)) > 0) *(long *)sum += count;
  return NULL;
}

int main(int argc, char **argv) {
  enum { ROUNDS = 20 };
  char *arguments[] = {"true", NULL};
  long sum = 0;
  pthread_t thread;
  (void)argv;
  CHECK(pipe(ends) == 0 && pthread_create(&thread, NULL, wait_for_bytes, &sum) == 0);
  for (int i = 0; i < ROUNDS || argc > 1; i++) {
    pid_t child;
    int status;
    CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  CHECK(write(ends[1], "bytes", 5) == 5 && close(ends[1]) == 0 && pthread_join(thread, NULL) == 0);
  printf("%ld bytes\n", sum);
  return 0;
}

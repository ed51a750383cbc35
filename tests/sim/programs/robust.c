/* robust.c: mutexes whose owner has ended: a thread, a process, one that was killed. (An emulated process can't do it.) */
/* status: 0 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t *mutex;
static int ends[2];

static void *hold(void *argument) {
  CHECK(!pthread_mutex_lock(mutex));
  return argument;
}

static void inherit(const char *owner) {
  int result = pthread_mutex_lock(mutex);
  printf("%s: %d\n", owner, result == EOWNERDEAD);
  fflush(stdout);
  CHECK(!pthread_mutex_consistent(mutex) && !pthread_mutex_unlock(mutex));
}

static void child(bool waits) {
  char byte = 1;
  hold(NULL);
  CHECK(write(ends[1], &byte, 1) == 1);
  while (waits) pause();
  _exit(0);
}

static pid_t holder(bool waits) {
  char byte;
  pid_t pid = fork();
  if (!pid) child(waits);
  CHECK(read(ends[0], &byte, 1) == 1);
  return pid;
}

int main(void) {
  pthread_mutexattr_t attribute;
  pthread_t thread;
  mutex = mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(!pthread_mutexattr_init(&attribute) &&
        !pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST));
  CHECK(!pthread_mutexattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED) &&
        !pthread_mutex_init(mutex, &attribute) && !pipe(ends));
  CHECK(!pthread_create(&thread, NULL, hold, NULL) && !pthread_join(thread, NULL));
  inherit("thread");
  holder(false);
  inherit("process"); /* which may still be on its way */
  pid_t pid = holder(true);
  CHECK(!kill(pid, SIGKILL));
  inherit("killed");
  while (wait(NULL) > 0) continue;
  return 0;
}

/* getpid, gettid and getppid tell the truth in threads, children, grandchildren and after vfork. */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

static pid_t gettid_raw(void) {
  return (pid_t)syscall(SYS_gettid);
}

static void *in_thread(void *arg) {
  CHECK(getpid() == *(pid_t *)arg && gettid_raw() != getpid());
  return NULL;
}

static void check_family(pid_t expected_parent, int depth) {
  pid_t self = getpid();
  CHECK(self == (pid_t)syscall(SYS_getpid) && self == gettid_raw() && getppid() == expected_parent);
  CHECK(getsid(0) == getsid(self) && getpgid(0) == getpgrp());
  pthread_t t;
  CHECK(pthread_create(&t, NULL, in_thread, &self) == 0 && pthread_join(t, NULL) == 0);
  if (depth == 0) return;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    check_family(self, depth - 1);
    _exit(depth);
  }
  int status;
  CHECK(child != self && waitpid(child, &status, 0) == child);
  printf("depth %d: status %d\n", depth, WEXITSTATUS(status));
  fflush(stdout);
}

int main(void) {
  check_family(getppid(), 4);
  pid_t self = getpid(), child = vfork();
  CHECK(child >= 0);
  if (child == 0) _exit(getppid() == self && getpid() != self ? 31 : 32);
  int status;
  CHECK(waitpid(child, &status, 0) == child && getpid() == self);
  printf("vfork: status %d\n", WEXITSTATUS(status));
  return 0;
}

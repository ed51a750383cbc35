/* clone with CLONE_VM but not CLONE_THREAD: another process on the same memory, waited for like any child. */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

static atomic_int counter;
static atomic_bool go;
static pid_t child_pid, child_tid, child_parent;
static char message[32];

static int child(void *arg) {
  child_pid = (pid_t)syscall(SYS_getpid);
  child_tid = (pid_t)syscall(SYS_gettid);
  child_parent = (pid_t)syscall(SYS_getppid);
  strcpy(message, arg);
  while (!atomic_load(&go)) continue;
  for (int i = 0; i < 100000; i++) atomic_fetch_add(&counter, 1);
  return 9;
}

int main(void) {
  static char stack[64 << 10] __attribute__((aligned(16)));
  pid_t pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_FS | SIGCHLD, "from the parent");
  CHECK(pid > 0);
  atomic_store(&go, 1); /* both count on one variable */
  for (int i = 0; i < 100000; i++) atomic_fetch_add(&counter, 1);
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(child_pid == pid && child_tid == pid && child_parent == getpid());
  printf("counter %d, exit %d, message %s\n", atomic_load(&counter), WEXITSTATUS(status), message);

  atomic_store(&counter, 0);
  pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, "vfork style");
  printf("counter %d when clone returned, message %s\n", atomic_load(&counter), message);
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
  pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK, "no signal");
  CHECK(pid > 0);
  CHECK(waitpid(pid, &status, 0) == -1); /* a child without an exit signal needs __WALL */
  CHECK(waitpid(pid, &status, __WALL) == pid);
  printf("no exit signal: exit %d\n", WEXITSTATUS(status));
  return 0;
}

/* clone with CLONE_FILES only: a child process that shares nothing but the descriptor table. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

static int opened = -1, changed;

static int child(void *arg) {
  changed = 1; /* in a copy of the memory */
  int *shared = arg;
  *shared = open("/dev/null", O_RDONLY);
  CHECK(close(100) == 0);
  return 7;
}

int main(void) {
  static char stack[64 << 10] __attribute__((aligned(16)));
  int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED && dup2(1, 100) == 100);
  for (int share = 0; share < 2; share++) {
    if (fcntl(100, F_GETFD) == -1) CHECK(dup2(1, 100) == 100);
    pid_t pid = clone(child, stack + sizeof stack, (share ? CLONE_FILES : 0) | SIGCHLD, shared);
    int status;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    opened = *shared;
    printf("share %d: exit %d, memory changed %d, its file open here %d, 100 closed here %d\n", share,
           WEXITSTATUS(status), changed, fcntl(opened, F_GETFD) != -1, fcntl(100, F_GETFD) == -1);
  }
  return 0;
}

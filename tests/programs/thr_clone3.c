/* clone3 as fork: exit signal, tid words, pidfd and argument checks; ENOSYS counts as an old kernel. */
#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

static long clone3(struct clone_args *args, size_t size) {
  long result = syscall(SYS_clone3, args, size);
  return result == -1 ? -errno : result;
}

int main(void) {
  int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  int parent_tid = 0, pidfd = -1, status = 0;
  struct clone_args args = {.flags = CLONE_PIDFD | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID,
                            .pidfd = (uintptr_t)&pidfd,
                            .parent_tid = (uintptr_t)&parent_tid,
                            .child_tid = (uintptr_t)&shared[0],
                            .exit_signal = SIGCHLD};
  long bad_size = clone3(&args, 8);
  if (bad_size != -ENOSYS) {
    CHECK(bad_size == -EINVAL);
    struct clone_args thread_alone = {.flags = CLONE_THREAD};
    CHECK(clone3(&thread_alone, sizeof args) == -EINVAL);
    CHECK(clone3((void *)8, sizeof args) == -EFAULT);
    long pid = clone3(&args, sizeof args);
    CHECK(pid >= 0);
    if (pid == 0) {
      shared[1] = (int)syscall(SYS_gettid);
      _exit(shared[0] == shared[1] ? 21 : 22);
    }
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    CHECK(poll(&p, 1, -1) == 1);
    CHECK(waitpid((pid_t)pid, &status, 0) == pid);
    CHECK(parent_tid == pid && shared[1] == pid && WEXITSTATUS(status) == 21);
  }
  puts("clone3 works or is absent");
  return 0;
}

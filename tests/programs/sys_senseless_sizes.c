/* Calls with sizes far beyond the memory that there is, again and again, in processes that share some: each fails or moves what it can. */
#include "sys_helpers.h"
#include <sys/mman.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { ROUNDS = 100 };

static long move(int nr, long fd, void *at, size_t bytes) {
  long result = syscall(nr, fd, at, bytes, 0, 0, 0);
  return result < 0 ? -errno : result;
}

int main(void) {
  static char buffer[64];
  int ends[2];
  volatile int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED && pipe(ends) == 0);
  long results[4] = {0};
  pid_t child = fork();
  for (int i = 0; i < ROUNDS; i++) {
    struct iovec parts[2] = {{buffer, 8}, {buffer, (size_t)1 << 40}};
    shared[child ? 0 : 1]++;
    results[0] += move(SYS_write, ends[1], buffer, SIZE_MAX) == -EFAULT;
    results[1] += move(SYS_sendto, ends[1], buffer, (size_t)1 << 40) == -ENOTSOCK;
    results[2] += move(SYS_read, ends[0], buffer, SIZE_MAX) == -EFAULT;
    results[3] += move(SYS_writev, ends[0], parts, 2) == -EBADF;
  }
  if (!child) _exit(0);
  CHECK(reap(child) == 0);
  say("%ld %ld %ld %ld, shared %d %d\n", results[0], results[1], results[2], results[3], shared[0],
      shared[1]);
  return 0;
}

/* A quota where the kernel has none: preloaded, pwrite and posix_fallocate take QUOTA bytes in all, then fail as with a quota used up;
 * truncating the file that was allocated gives its bytes back. The recorder writes its logs with these, and hardly anybody else uses
 * them. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic long used, allocated;
static _Atomic int allocated_fd = -1;

static long quota(void) {
  const char *text = getenv("QUOTA");
  return text ? atol(text) : 0;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  long before = atomic_fetch_add(&used, (long)count);
  if (before + (long)count > quota()) {
    /* The last piece that fits goes in part, as on a disk. */
    long fits = before < quota() ? quota() - before : 0;
    atomic_fetch_sub(&used, (long)count - fits);
    count = (size_t)fits;
  }
  if (count) return syscall(SYS_pwrite64, fd, bytes, count, offset);
  errno = EDQUOT;
  return -1;
}

int posix_fallocate(int fd, off_t offset, off_t length) {
  if (atomic_fetch_add(&used, length) + offset + length > quota()) return EDQUOT;
  allocated = length;
  allocated_fd = fd;
  return 0;
}

int ftruncate(int fd, off_t length) {
  if (fd == atomic_load(&allocated_fd)) atomic_fetch_sub(&used, atomic_exchange(&allocated, 0));
  return (int)syscall(SYS_ftruncate, fd, length);
}

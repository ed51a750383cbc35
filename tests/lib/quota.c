/* A quota where the kernel has none: preloaded, pwrite writes QUOTA bytes in all, then fails as with a quota used up. The recorder writes its
 * logs with it, and hardly anybody else uses it. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic long used;

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  const char *text = getenv("QUOTA");
  long quota = text ? atol(text) : 0, before = atomic_fetch_add(&used, (long)count);
  if (before >= quota) {
    errno = EDQUOT;
    return -1;
  }
  /* The last piece that fits goes in part, as on a disk. */
  if ((long)count > quota - before) count = (size_t)(quota - before);
  return syscall(SYS_pwrite64, fd, bytes, count, offset);
}

/* io.c: system calls in whole pieces. See io.h. */
#include "recording/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/recording.h"

bool write_all(int fd, uint64_t offset, const void *bytes, size_t length) {
  const char *from = bytes;
  while (length) {
    ssize_t n = pwrite(fd, from, length, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (!n) errno = ENOSPC;
      return false;
    }
    from += n;
    offset += (uint64_t)n;
    length -= (size_t)n;
  }
  return true;
}

ssize_t read_upto(int fd, uint64_t offset, void *bytes, size_t length) {
  size_t done = 0;
  while (done < length) {
    ssize_t n = pread(fd, (char *)bytes + done, length - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (!n) break;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

int open_regular(int folder, const char *name, uint64_t *length) {
  /* O_NONBLOCK: a pipe in a file's place must not make anyone wait. */
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return -1;
  struct stat info;
  int failed = fstat(fd, &info) ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
  if (!failed) {
    *length = (uint64_t)info.st_size;
    return fd;
  }
  close(fd);
  errno = failed;
  return -1;
}

bool join_path(char *out, const char *folder, const char *name) {
  return (size_t)snprintf(out, RECORDING_PATH_MAX, "%s/%s", folder, name) < RECORDING_PATH_MAX;
}

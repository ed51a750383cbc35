/* scratch.c: files without a name. See scratch.h. */
#include "recording/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>

int scratch_file(const char *name) {
  static const char *const folders[] = {"/dev/shm", "/tmp", "/var/tmp"};
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EACCES)) return fd;
  int error = errno;
  for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof *folders; i++)
    fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) errno = error;
  return fd;
}

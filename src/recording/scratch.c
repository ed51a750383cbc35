/* scratch.c: files without a name. See scratch.h. */
#include "recording/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

uint64_t scratch_room(int fd) {
  struct statvfs system;
  if (fstatvfs(fd, &system) || !system.f_blocks) return UINT64_MAX; /* memory, as much as there is */
  return (uint64_t)system.f_bavail * system.f_frsize;
}

/* The first folder with the room, else the one with most. */
static int file_in_folder(uint64_t bytes) {
  static const char *const folders[] = {"/dev/shm", "/tmp", "/var/tmp"};
  int best = -1;
  for (size_t i = 0; (best < 0 || scratch_room(best) < bytes) && i < sizeof folders / sizeof *folders; i++) {
    int fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    bool better = fd >= 0 && (best < 0 || scratch_room(fd) > scratch_room(best));
    int worse = better ? best : fd;
    if (better) best = fd;
    if (worse >= 0) close(worse);
  }
  return best;
}

int scratch_file(const char *name, uint64_t bytes) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EACCES)) return fd;
  int error = errno;
  fd = file_in_folder(bytes);
  if (fd < 0) errno = error;
  return fd;
}

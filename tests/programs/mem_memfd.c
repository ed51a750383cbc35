/* memfd_create: shared between processes, seals refuse what they name, its name shows in /proc. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { P = 4096, RW = PROT_READ | PROT_WRITE };

int main(void) {
  int fd = memfd_create("a name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  char link[64], path[32];
  CHECK(fd >= 0 && ftruncate(fd, 2 * P) == 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(path, link, sizeof link - 1);
  CHECK(length > 0);
  link[length] = 0;
  say("link %s, seals %x\n", link, (unsigned)fcntl(fd, F_GET_SEALS));
  char *map = mmap(NULL, 2 * P, RW, MAP_SHARED, fd, 0);
  CHECK(map != MAP_FAILED);
  pid_t child = fork();
  if (child == 0) {
    strcpy(map + P, "written by the child");
    _exit(0);
  }
  CHECK(reap(child) == 0);
  say("%s\n", map + P);
  say("write seal while mapped: %s\n", outcome(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE)));
  CHECK(munmap(map, 2 * P) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) == 0);
  say("write: %s, shrink: %s, grow: %s\n", outcome(write(fd, "x", 1)), outcome(ftruncate(fd, P)),
      outcome(ftruncate(fd, 3 * P)));
  say("writable map: %s", mmap(NULL, P, RW, MAP_SHARED, fd, 0) == MAP_FAILED ? strerrorname_np(errno) : "ok");
  map = mmap(NULL, P, RW, MAP_PRIVATE, fd, P);
  CHECK(map != MAP_FAILED);
  say(", private map reads: %s\n", map);
  CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL) == 0);
  say("sealed: %s, seals %x\n", outcome(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW)),
      (unsigned)fcntl(fd, F_GET_SEALS));
  return 0;
}

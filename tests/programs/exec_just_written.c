/* A child writes a program through a mapping of its file, as some linkers do, and ends. The parent then maps the file to look at it, and
 * executes it. It is whole by then, however long the child takes. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "sys_helpers.h"

enum { WORK = 300000 };

static void write_mapped(const char *name, const char *from, size_t size) {
  int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0700);
  CHECK(fd >= 0 && !ftruncate(fd, (off_t)size));
  char *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(to != MAP_FAILED);
  for (volatile int i = 0; i < WORK; i++) continue;
  memcpy(to, from, size);
  CHECK(!munmap(to, size) && !close(fd));
}

static const char *map(const char *name, size_t *size) {
  struct stat info;
  int fd = open(name, O_RDONLY);
  CHECK(fd >= 0 && !fstat(fd, &info));
  *size = (size_t)info.st_size;
  const char *at = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
  CHECK(at != MAP_FAILED && !close(fd));
  return at;
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/exec_just_written.XXXXXX", name[64];
  size_t size, written;
  if (argc > 1) {
    puts("executed");
    return !unlink(argv[0]) ? 7 : 1;
  }
  CHECK(mkdtemp(folder));
  const char *own = map("/proc/self/exe", &size);
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s/program%d", folder, i);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      write_mapped(name, own, size);
      _exit(0);
    }
    CHECK(reap(child) == 0);
    if (!i) {
      const char *at = map(name, &written);
      CHECK(written == size && !memcmp(at, own, size) && !munmap((void *)at, size));
    }
    child = fork();
    CHECK(child >= 0);
    if (!child) {
      execl(name, name, "again", (char *)NULL);
      _exit(127);
    }
    printf("status %d\n", WEXITSTATUS(reap(child)));
    fflush(stdout);
  }
  CHECK(!rmdir(folder));
}

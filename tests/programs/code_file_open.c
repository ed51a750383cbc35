/* Code mapped privately from a file that is opened for writing only later, in each of the ways there are. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "jit.h"

static const char *name; /* a new file each time: one that was ever written stays suspect */

static int with_open(void) {
  return open(name, O_RDWR);
}

static int with_openat2(void) {
  struct open_how how = {.flags = O_WRONLY};
  int fd = (int)syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how);
  return fd < 0 && errno == ENOSYS ? open(name, O_WRONLY) : fd; /* since Linux 5.6 */
}

/* Calls of their own on x86-64 only. */
static int with_creat(void) {
  return creat(name, 0700);
}

static int with_old_open(void) {
#ifdef SYS_open
  return (int)syscall(SYS_open, name, O_WRONLY);
#else
  return open(name, O_WRONLY);
#endif
}

static void put(int fd, uint32_t value) {
  byte f[JIT_PAGE] = {0};
  jit_constant(f, value);
  CHECK(pwrite(fd, f, sizeof f, 0) == (ssize_t)sizeof f);
}

static void change(const char *how, int (*reopen)(void)) {
  name = how;
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0700);
  CHECK(fd >= 0);
  put(fd, 1);
  CHECK(close(fd) == 0 && (fd = open(name, O_RDONLY)) >= 0);
  byte *p = mmap(NULL, JIT_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  CHECK(p != MAP_FAILED && close(fd) == 0);
  uint32_t before = 0, after = 0;
  for (int i = 0; i < 100; i++) before += jit_call_new(p);
  fd = reopen();
  CHECK(fd >= 0);
  for (uint32_t i = 0; i < 100; i++) {
    put(fd, i);
    after += jit_call_new(p);
  }
  printf("%s: %u, %u\n", how, before, after);
  CHECK(close(fd) == 0 && munmap(p, JIT_PAGE) == 0);
}

int main(void) {
  change("openat", with_open);
  change("openat2", with_openat2);
  change("creat", with_creat);
  change("open", with_old_open);
  return 0;
}

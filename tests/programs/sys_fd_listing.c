/* Every way to find out which descriptors are open gives the same: listing /proc/self/fd and its other names
 * with large and small buffers, their size, and asking about each number. */
#include "sys_helpers.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { NUMBERS = 65536 };

struct entry {
  unsigned long inode;
  long offset;
  unsigned short length;
  char rest[]; /* the name; with getdents64 the type comes first */
};

/* Lists a folder through the call itself. A buffer of 24 bytes holds one entry with a short name. */
static int list(const char *folder, long call, size_t size) {
  char buffer[4096] __attribute__((aligned(8)));
  int fd = open(folder, O_RDONLY | O_DIRECTORY), count = 0;
  CHECK(fd >= 0);
  say("%s by %zu:", folder, size);
  for (long n; (n = syscall(call, fd, buffer, size)) != 0;) {
    CHECK(n > 0);
    for (struct entry *e = (struct entry *)buffer; (char *)e < buffer + n;
         e = (struct entry *)((char *)e + e->length)) {
      const char *name = e->rest + (call == SYS_getdents64);
      if (name[0] == '.' || atoi(name) == fd) continue;
      say(" %s", name);
      count++;
    }
  }
  say(" = %d\n", count);
  close(fd);
  return count;
}

static long size_of(const char *folder, struct stat *by_descriptor, struct statx *extended) {
  struct stat by_name;
  CHECK(stat(folder, &by_name) == 0);
  int fd = open(folder, O_RDONLY | O_DIRECTORY);
  CHECK(fd >= 0 && fstat(fd, by_descriptor) == 0 && statx(AT_FDCWD, folder, 0, STATX_SIZE, extended) == 0);
  close(fd);
  return by_name.st_size;
}

/* Asks about each number, also about some beyond the limit. */
static void ask_each(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  int top = limit.rlim_cur < NUMBERS ? (int)limit.rlim_cur + 64 : NUMBERS, open_ones = 0;
  char path[64], text[256];
  struct stat state;
  for (int fd = 0; fd < top; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) {
      open_ones++;
      continue;
    }
    CHECK(errno == EBADF);
    CHECK(fstat(fd, &state) < 0 && errno == EBADF);
    CHECK(syscall(SYS_fstat, fd, &state) < 0 && errno == EBADF);
    CHECK(read(fd, text, 1) < 0 && errno == EBADF);
    CHECK(lseek(fd, 0, SEEK_CUR) < 0 && errno == EBADF);
    CHECK(openat(fd, "x", O_RDONLY) < 0 && errno == EBADF);
    CHECK(faccessat(fd, "/", F_OK, 0) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(readlink(path, text, sizeof text) < 0 && errno == ENOENT);
    CHECK(lstat(path, &state) < 0 && errno == ENOENT);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    CHECK(open(path, O_RDONLY) < 0 && errno == ENOENT);
  }
  say("%d are open\n", open_ones);
}

static void *in_thread(void *unused) {
  list("/proc/thread-self/fd", SYS_getdents64, 4096);
  return unused;
}

int main(void) {
  CHECK(close_range(3, ~0U, 0) == 0);
  CHECK(open("/dev/null", O_RDONLY) == 3 && dup2(3, 77) == 77);
  static const char *const folders[] = {"/proc/self/fd", "/dev/fd", "/proc/self/fdinfo",
                                        "/proc/thread-self/fd"};
  for (unsigned i = 0; i < 4; i++) {
    CHECK(list(folders[i], SYS_getdents64, 4096) == 5);
    CHECK(list(folders[i], SYS_getdents64, 24) == 5);
#ifdef SYS_getdents
    CHECK(list(folders[i], SYS_getdents, 24) == 5);
#endif
    struct stat by_descriptor;
    struct statx extended;
    long size = size_of(folders[i], &by_descriptor, &extended);
    say("size %ld %ld %ld\n", size, (long)by_descriptor.st_size, (long)extended.stx_size);
  }
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
  ask_each();
  pid_t child = fork();
  if (child == 0) _exit(list("/proc/self/fd", SYS_getdents64, 24));
  say_status("child", reap(child));

  /* A file that merely has such a name is none of these. */
  CHECK(mkdir("fd", 0500) == 0);
  struct stat plain;
  CHECK(stat("fd", &plain) == 0);
  say("a folder of that name: mode %o\n", plain.st_mode & 07777);
  return 0;
}

/* names.c: links, working directories, attributes, space, locks of files; bytes that are moved at a place or between files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static int file;

static void links(void) {
  struct stat about;
  char target[16] = {0};
  CHECK(!symlink("a", "link") && !link("a", "b") && !lstat("link", &about) && S_ISLNK(about.st_mode));
  CHECK(readlink("link", target, sizeof target) == 1 && !strcmp(target, "a"));
  CHECK(!fchmod(file, 0600) && !chmod("b", 0640) && !stat("link", &about));
  printf("mode %o, links %d\n", about.st_mode & 0777, (int)about.st_nlink);
  struct timespec times[2] = {{1, 2}, {3, 4}};
  CHECK(!utimensat(AT_FDCWD, "a", times, 0) && !fstat(file, &about) && about.st_mtim.tv_sec == 3);
  times[1].tv_sec = 5;
  CHECK(!futimens(file, times) && !stat("a", &about) && about.st_mtim.tv_sec == 5);
  CHECK(!fchown(file, getuid(), getgid()) && !lchown("link", getuid(), getgid()) && access("nothing", F_OK) &&
        errno == ENOENT);
}

static void sizes(void) {
  struct stat about;
  struct statfs space;
  CHECK(!truncate("a", 5) && !fstat(file, &about) && about.st_size == 5);
  CHECK(!posix_fallocate(file, 0, 100) && !fstat(file, &about) && about.st_size == 100);
  CHECK(!ftruncate(file, 5) && !statfs(".", &space) && !fstatfs(file, &space) && space.f_bsize > 0);
  CHECK(!posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED) && !fsync(file) && !syncfs(file));
  sync();
}

/* Each process has a working directory of its own. */
static void directories(const char *folder) {
  char here[PATH_MAX];
  int status, above = open(".", O_RDONLY | O_DIRECTORY);
  CHECK(!mkdir("sub", 0700));
  if (!fork()) {
    CHECK(!chdir("sub") && !access("../a", F_OK) && access("a", F_OK));
    CHECK(getcwd(here, sizeof here) && !strncmp(here, folder, strlen(folder)) &&
          !strcmp(here + strlen(folder), "/sub"));
    CHECK(!fchdir(above) && !access("a", F_OK));
    _exit(0);
  }
  CHECK(wait(&status) > 0 && status == 0 && !access("a", F_OK) && getcwd(here, sizeof here) &&
        !strcmp(here, folder));
  CHECK(chdir("nowhere") && errno == ENOENT);
  puts("directories");
}

static void moves(void) {
  char first[8] = {0}, second[8] = {0};
  struct iovec out[2] = {{"ab", 2}, {"cd", 2}}, in[2] = {{first, 3}, {second, 3}};
  CHECK(pwritev(file, out, 2, 3) == 4 && preadv(file, in, 2, 0) == 6);
  printf("%s %s\n", first, second);
  int copy = open("copy", O_CREAT | O_RDWR, 0600), pipes[2];
  off_t from = 1, to = 6;
  CHECK(sendfile(copy, file, &from, 4) == 4 && from == 5);
  from = 0;
  CHECK(copy_file_range(file, &from, copy, &to, 3, 0) == 3 && from == 3 && to == 9 &&
        lseek(copy, 0, SEEK_END) == 9);
  from = 0;
  memset(first, 0, sizeof first);
  CHECK(!pipe(pipes) && sendfile(pipes[1], file, &from, 4) == 4 && read(pipes[0], first, 8) == 4);
  printf("%s\n", first);
}

static int lock(int command, short type, off_t start, off_t length) {
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  int result = fcntl(file, command, &range);
  return command == F_GETLK && !result ? range.l_type : result;
}

static void locks(void) {
  int there[2], back[2], status;
  char byte;
  CHECK(!pipe(there) && !pipe(back));
  CHECK(!lock(F_SETLK, F_WRLCK, 0, 10) && !lock(F_SETLK, F_UNLCK, 4, 2) &&
        lock(F_GETLK, F_WRLCK, 0, 0) == F_UNLCK);
  CHECK(!flock(file, LOCK_EX)); /* before the child looks */
  fflush(stdout);
  if (!fork()) {
    int again = open("a", O_RDWR);
    printf("child: %d %d", lock(F_GETLK, F_RDLCK, 0, 0) == F_WRLCK, lock(F_SETLK, F_RDLCK, 3, 2));
    printf(" %d", errno == EAGAIN);
    printf(" %d\n", lock(F_SETLK, F_WRLCK, 4, 2));
    fflush(stdout);
    CHECK(flock(again, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK && write(there[1], "x", 1) == 1);
    CHECK(!lock(F_SETLKW, F_WRLCK, 0, 0)); /* waits */
    CHECK(read(back[0], &byte, 1) == 1);
    _exit(0);
  }
  CHECK(read(there[0], &byte, 1) == 1 && lock(F_SETLK, F_WRLCK, 5, 1) == -1);
  CHECK(write(back[1], "x", 1) == 1);
  close(open("a", O_RDONLY)); /* which takes all locks of the process away */
  CHECK(wait(&status) > 0 && status == 0 && lock(F_GETLK, F_WRLCK, 0, 0) == F_UNLCK && !flock(file, LOCK_UN));
  puts("locks");
}

int main(void) {
  char folder[] = "/tmp/names-XXXXXX";
  CHECK(mkdtemp(folder) && !chdir(folder));
  file = open("a", O_CREAT | O_RDWR, 0644);
  CHECK(file >= 0 && write(file, "hello world", 11) == 11);
  links();
  sizes();
  directories(folder);
  moves();
  locks();
  CHECK(!rmdir("sub") && !unlink("a") && !unlink("b") && !unlink("link") && !unlink("copy") && !chdir("/") &&
        !rmdir(folder));
  return 0;
}

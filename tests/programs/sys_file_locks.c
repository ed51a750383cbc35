/* Record locks between processes, open-file-description locks, flock over dup and fork, release on close
 * and exit. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <sys/file.h>

static char path[] = "/tmp/locks-XXXXXX";

/* The outcome of `command` for bytes [start, start+length) in a child that opens the file anew. */
static void in_child(const char *what, int command, short type, off_t start, off_t length) {
  pid_t child = fork();
  if (child == 0) {
    int fd = open(path, O_RDWR);
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    long result = fcntl(fd, command, &lock);
    if (command == F_GETLK)
      say("%s: type %d start %ld length %ld parent's %d\n", what, lock.l_type, (long)lock.l_start,
          (long)lock.l_len, lock.l_pid == getppid());
    else
      say("%s: %s\n", what, outcome(result));
    _exit(0);
  }
  CHECK(reap(child) == 0);
}

static void set(int fd, int command, short type, off_t start, off_t length) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  CHECK(fcntl(fd, command, &lock) == 0);
}

int main(void) {
  int fd = mkstemp(path);
  CHECK(fd >= 0 && ftruncate(fd, 100) == 0);
  set(fd, F_SETLK, F_WRLCK, 10, 20);
  in_child("overlapping write", F_SETLK, F_WRLCK, 15, 1);
  in_child("apart", F_SETLK, F_WRLCK, 40, 10);
  in_child("who", F_GETLK, F_RDLCK, 0, 100);
  set(fd, F_SETLK, F_UNLCK, 15, 5); /* splits the lock */
  in_child("in the gap", F_SETLK, F_WRLCK, 15, 5);
  in_child("who is first", F_GETLK, F_WRLCK, 0, 100);
  set(fd, F_SETLK, F_RDLCK, 0, 100);
  in_child("read with read", F_SETLK, F_RDLCK, 0, 100);
  in_child("write with read", F_SETLK, F_WRLCK, 0, 100);
  int second = open(path, O_RDWR);
  CHECK(second >= 0 && close(second) == 0); /* closing any descriptor drops this process's locks */
  in_child("after a close", F_SETLK, F_WRLCK, 0, 100);
  set(fd, F_OFD_SETLK, F_WRLCK, 0, 50);
  second = open(path, O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
  say("own other description: %s\n", outcome(fcntl(second, F_OFD_SETLK, &lock)));
  set(fd, F_OFD_SETLK, F_UNLCK, 0, 50);
  CHECK(flock(fd, LOCK_EX) == 0);
  say("flock on another description: %s, on a duplicate: %s\n", outcome(flock(second, LOCK_EX | LOCK_NB)),
      outcome(flock(dup(fd), LOCK_EX | LOCK_NB)));
  pid_t child = fork();
  if (child == 0) _exit(flock(fd, LOCK_UN)); /* shared over fork: unlocks ours */
  CHECK(reap(child) == 0);
  say("unlocked by the child: %s\n", outcome(flock(second, LOCK_EX | LOCK_NB)));
  CHECK(unlink(path) == 0);
  return 0;
}

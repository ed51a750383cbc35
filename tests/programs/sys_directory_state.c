/* Working directory, umask and root-relative calls: chdir, fchdir, openat, getcwd's errors, a removed
 * directory, fork. */
#include "exec_helpers.h"

int main(void) {
  char here[4096], small[4];
  scratch_start();
  CHECK(mkdir(scratch_path("inner"), 0700) == 0 && chdir(scratch) == 0);
  int directory = open("inner", O_RDONLY | O_DIRECTORY);
  CHECK(directory >= 0 && chdir("inner") == 0 && getcwd(here, sizeof here));
  say("in inner %d\n", strcmp(here, scratch_path("inner")) == 0);
  say("too small: %s\n", getcwd(small, sizeof small) ? "ok" : strerrorname_np(errno));
  pid_t child = fork();
  if (child == 0) {
    CHECK(chdir("/") == 0);
    umask(0777);
    _exit(0);
  }
  CHECK(reap(child) == 0 && getcwd(here, sizeof here));
  say("a child's chdir is its own %d\n", strcmp(here, scratch_path("inner")) == 0);
  mode_t old = umask(027);
  struct stat status;
  int file = openat(directory, "made", O_CREAT | O_WRONLY, 0666);
  CHECK(file >= 0 && fstat(file, &status) == 0);
  say("mode %o, umask was ours %d\n", status.st_mode & 0777, old != 0777);
  CHECK(mkdirat(directory, "sub", 0777) == 0 && fstatat(directory, "sub", &status, 0) == 0);
  say("directory mode %o\n", status.st_mode & 0777);
  say("exclusive: %s\n", outcome(openat(directory, "made", O_CREAT | O_EXCL | O_WRONLY, 0600)));
  say("write to a directory: %s\n", outcome(openat(directory, "sub", O_WRONLY)));
  say("not a directory: %s\n", outcome(open("made", O_RDONLY | O_DIRECTORY)));
  CHECK(chdir("/") == 0 && fchdir(directory) == 0 && unlink("made") == 0 && rmdir("sub") == 0);
  say("remove a directory in use: %s\n", outcome(rmdir(scratch_path("inner"))));
  say("then getcwd: %s\n", getcwd(here, sizeof here) ? "ok" : strerrorname_np(errno));
  say("create there: %s\n", outcome(open("x", O_CREAT | O_WRONLY, 0600)));
  say("chdir to a file: %s, to nowhere: %s\n", outcome(chdir("/etc/passwd")), outcome(chdir("/nonexistent")));
  CHECK(chdir("/") == 0);
  scratch_end();
  return 0;
}

/* Descriptors over execve: kept with offset and flags unless close-on-exec; a deleted open file stays
 * readable. */
#include "exec_helpers.h"

static void report(void) {
  for (int fd = 3; fd < 12; fd++) {
    int flags = fcntl(fd, F_GETFD);
    if (flags < 0)
      say("%d closed\n", fd);
    else
      say("%d open, status %x offset %ld\n", fd, (unsigned)fcntl(fd, F_GETFL) & 0xfff,
          (long)lseek(fd, 0, SEEK_CUR));
  }
}

int main(int argc, char **argv) {
  if (argc > 1) {
    char text[32] = "";
    report();
    say("read on: %zd %s\n", read(3, text, 4), text);
    return 0;
  }
  closefrom(3);
  int file = scratch_file();
  CHECK(file == 3 && write(file, "abcdefgh", 8) == 8 && lseek(file, 2, SEEK_SET) == 2);
  CHECK(dup3(file, 4, O_CLOEXEC) == 4 && dup2(4, 5) == 5 && fcntl(file, F_DUPFD_CLOEXEC, 6) == 6);
  CHECK(fcntl(file, F_DUPFD, 7) == 7 && fcntl(7, F_SETFD, FD_CLOEXEC) == 0);
  CHECK(open("/dev/null", O_RDONLY | O_CLOEXEC) == 8 &&
        open("/dev/null", O_WRONLY | O_NONBLOCK | O_APPEND) == 9);
  report();
  execl("/proc/self/exe", argv[0], "again", (char *)NULL);
  CHECK(!"execl returned");
}

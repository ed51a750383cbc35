/* After fork parent and child share file offsets and status flags, but not the descriptor table. */
#include "sys_helpers.h"
#include <fcntl.h>

int main(void) {
  int file = scratch_file(), ends[2];
  char text[64] = "";
  CHECK(write(file, "0123456789", 10) == 10 && lseek(file, 3, SEEK_SET) == 3 && pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    CHECK(read(file, text, 2) == 2);
    say("child reads %s\n", text);
    CHECK(lseek(file, 8, SEEK_SET) == 8 && fcntl(file, F_SETFL, O_APPEND) == 0);
    CHECK(fcntl(file, F_SETFD, FD_CLOEXEC) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
    _exit(0);
  }
  CHECK(reap(child) == 0);
  say("offset moved to %ld, append %d, close-on-exec %d\n", (long)lseek(file, 0, SEEK_CUR),
      (fcntl(file, F_GETFL) & O_APPEND) != 0, fcntl(file, F_GETFD));
  CHECK(write(ends[1], "still open", 10) == 10 && read(ends[0], text, sizeof text) == 10);
  say("pipe %s\n", text);
  for (int i = 0; i < 20; i++) { /* appending writers share one offset */
    child = fork();
    if (child == 0) _exit(write(file, "abcde", 5) != 5);
    CHECK(reap(child) == 0);
  }
  say("size %ld\n", (long)lseek(file, 0, SEEK_END));
  return 0;
}

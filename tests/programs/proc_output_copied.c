/* A child has the kernel copy files to standard output and is waited for, again and again; the parent writes and copies in between.
 * All of it comes out in that order, however long the child takes. */
#include <fcntl.h>
#include <sys/sendfile.h>

#include "sys_helpers.h"

enum { TURNS = 6, WORK = 300000 };

static int file_with(const char *text) {
  char name[] = "/tmp/proc_output_copied.XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0 && !unlink(name));
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !lseek(fd, 0, SEEK_SET));
  return fd;
}

/* Not every file can be copied to by every call; then the program does it itself. */
static void copy(int turn, const char *text) {
  ssize_t length = (ssize_t)strlen(text), done;
  int fd = file_with(text);
  done = turn % 2 ? sendfile(STDOUT_FILENO, fd, NULL, (size_t)length)
                  : copy_file_range(fd, NULL, STDOUT_FILENO, NULL, (size_t)length, 0);
  if (done < 0) done = write(STDOUT_FILENO, text, (size_t)length);
  CHECK(done == length && !close(fd));
}

static void work(void) {
  for (volatile int i = 0; i < WORK; i++) continue;
}

int main(void) {
  char text[64];
  for (int turn = 0; turn < TURNS; turn++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      work();
      snprintf(text, sizeof text, "child %d\n", turn);
      copy(turn, text);
      _exit(0);
    }
    CHECK(reap(child) == 0);
    snprintf(text, sizeof text, "parent %d\n", turn);
    if (turn % 3)
      copy(turn, text);
    else
      CHECK(write(STDOUT_FILENO, text, strlen(text)) == (ssize_t)strlen(text));
  }
}

/* Output of a program that does not look whether it was written: nothing that it does next depends on the results. Changed in the log, they would show
 * another output (tests/cli/mutated.sh). */
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void put(int fd, const char *text) {
  (void)!write(fd, text, strlen(text));
}

int main(void) {
  struct iovec pieces[] = {{"in ", 3}, {"pieces\n", 7}};
  put(1, "plain\n");
  (void)!writev(1, pieces, 2);
  (void)!fcntl(1, F_DUPFD, 40);
  put(40, "by another name\n");
  (void)!dup2(40, 41);
  put(41, "and another\n");
  if (!fork()) {
    put(1, "of a child\n");
    _exit(0);
  }
  while (wait(NULL) < 0) {
  }
  close(1);
  (void)!dup(41);
  put(1, "and the first again\n");
  return 0;
}

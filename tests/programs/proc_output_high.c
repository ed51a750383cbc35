/* Standard output and error under high numbers, over closing, forking and executing; as valgrind keeps its own copies. */
#include <fcntl.h>
#include <sys/resource.h>

#include "sys_helpers.h"

enum { HIGH = 3000, COPIES = 100 };

static void tell(int fd, const char *text) {
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* In the program that was executed: what is left. */
static int go_on(void) {
  CHECK(fcntl(HIGH, F_GETFD) < 0); /* closed by the execve */
  tell(HIGH + 1, "executed, to standard output\n");
  tell(HIGH + 2, "executed, to standard error\n");
  CHECK(!close(HIGH + 1) && open("/dev/null", O_WRONLY) == STDOUT_FILENO);
  CHECK(fcntl(STDOUT_FILENO, F_DUPFD, HIGH + 1) == HIGH + 1);
  tell(HIGH + 1, "nobody's\n");
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return go_on();
  struct rlimit limit;
  CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
  if (limit.rlim_max <= HIGH + COPIES) return 0;
  limit.rlim_cur = limit.rlim_max;
  CHECK(!setrlimit(RLIMIT_NOFILE, &limit));

  for (int i = 0; i < COPIES; i++) {
    int fd = fcntl(STDOUT_FILENO, F_DUPFD, HIGH);
    CHECK(fd == HIGH + i);
    if (i % 10 == 0) tell(fd, "one of many\n");
  }
  for (int i = 0; i < COPIES; i++) CHECK(!close(HIGH + i));

  CHECK(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, HIGH) == HIGH);
  CHECK(fcntl(STDOUT_FILENO, F_DUPFD, HIGH) == HIGH + 1);
  CHECK(dup2(STDERR_FILENO, HIGH + 2) == HIGH + 2);
  CHECK(!close(STDOUT_FILENO));
  tell(HIGH, "to standard output\n");
  tell(HIGH + 2, "to standard error\n");
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    tell(HIGH + 1, "forked\n");
    _exit(0);
  }
  CHECK(reap(child) == 0);
  execl("/proc/self/exe", argv[0], "again", (char *)NULL);
  return 1;
}

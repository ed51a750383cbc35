/* close_range and closefrom of every descriptor above 2, and of a high number alone: the program goes on. */
#include "sys_helpers.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

static void list(const char *when) {
  DIR *directory = opendir("/proc/self/fd");
  CHECK(directory);
  int own = dirfd(directory);
  say("%s:", when);
  for (struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_name[0] != '.' && atoi(entry->d_name) != own) say(" %s", entry->d_name);
  say("\n");
  closedir(directory);
}

int main(void) {
  CHECK(close_range(3, ~0U, 0) == 0);
  list("after close_range");
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  for (int fd = 3; fd < (int)limit.rlim_cur; fd++) CHECK(close(fd) < 0 && errno == EBADF);
  list("after closing one by one");
  CHECK(open("/dev/null", O_RDONLY) == 3 && dup2(3, 100) == 100 && fcntl(3, F_DUPFD, 50) == 50);
  int top = (int)limit.rlim_cur - 1;
  CHECK(dup2(3, top) == top);
  say("the highest number works: %d\n", fcntl(top, F_GETFD));
  say("dup2 to the limit: %s\n", outcome(dup2(3, top + 1)));
  CHECK(close(top) == 0);
  list("after dup2");
  CHECK(close_range(50, 100, CLOSE_RANGE_CLOEXEC) == 0);
  say("flags %d %d %d\n", fcntl(3, F_GETFD), fcntl(50, F_GETFD), fcntl(100, F_GETFD));
  closefrom(50);
  list("after closefrom");
  say("close_range backwards: %s\n", outcome(close_range(9, 4, 0)));
  pid_t child = fork();
  if (child == 0) _exit(11);
  say_status("child", reap(child));
  return 0;
}

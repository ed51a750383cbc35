/* A child overwrites a global of its own; another goes to this program again, and a third is made by vfork. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int global = 1;

static void overwrite(int value) {
  global = value;
}

static int await(pid_t child) {
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static pid_t start_again(const char *argument, int by_vfork) {
#ifdef WITHOUT_VFORK
  by_vfork = 0;
#endif
  pid_t child = by_vfork ? vfork() : fork();
  if (child) return child;
  execl("/proc/self/exe", "processes", argument, (char *)NULL);
  _exit(99);
}

int main(int argc, char **argv) {
  if (argc > 1) return atoi(argv[1]);
  pid_t child = fork();
  if (!child) {
    overwrite(2);
    overwrite(3);
    _exit(global);
  }
  int first = await(child);
  int second = await(start_again("4", 0));
  int third = await(start_again("5", 1));
  printf("%d %d %d %d\n", first, second, third, global);
  return 0;
}

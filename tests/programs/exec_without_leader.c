/* execve from a thread whose process's first thread has ended, again and again, while other processes want to run: as long as
 * the kernel has not made one of the two, the process looks dead from outside. */
#include "sys_helpers.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { EXECUTIONS = 30, OTHERS = 6 };

static char own[4096]; /* its path: /proc/self leads nowhere once the first thread has ended */

static char state_of_leader(void) {
  char text[512], path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", getpid());
  FILE *file = fopen(path, "r");
  CHECK(file && fgets(text, sizeof text, file));
  fclose(file);
  return strrchr(text, ')')[2];
}

static void *execute(void *left) {
  char text[32];
  while (state_of_leader() != 'Z') sched_yield();
  snprintf(text, sizeof text, "%d", *(int *)left - 1);
  execl(own, own, text, (char *)NULL);
  CHECK(!"execl returned");
}

static void go_on(int left) {
  static int count;
  pthread_t thread;
  count = left;
  if (!left) {
    say("came through, tid is pid %d\n", gettid() == getpid());
    exit(5);
  }
  CHECK(pthread_create(&thread, NULL, execute, &count) == 0);
  pthread_exit(NULL);
}

int main(int argc, char **argv) {
  pid_t others[OTHERS], child;
  int status;
  CHECK(readlink("/proc/self/exe", own, sizeof own - 1) > 0);
  if (argc > 1) go_on(atoi(argv[1]));
  for (int i = 0; i < OTHERS; i++) {
    CHECK((others[i] = fork()) >= 0);
    if (!others[i]) alarm(600); /* in case that nobody is left to kill it */
    for (volatile long n = 0; !others[i];) n++;
  }
  CHECK((child = fork()) >= 0);
  if (!child) go_on(EXECUTIONS);
  CHECK(waitpid(child, &status, 0) == child);
  say("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  for (int i = 0; i < OTHERS; i++) {
    kill(others[i], SIGKILL);
    CHECK(waitpid(others[i], &status, 0) == others[i]);
    say("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  return 0;
}

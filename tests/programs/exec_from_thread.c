/* execve from another thread: the others vanish, the new program has the old pid as its only thread. */
#include "sys_helpers.h"
#include <dirent.h>
#include <pthread.h>

static char *name;

static int threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks);
  for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static void *spin(void *argument) {
  for (;;) ++*(volatile long *)argument;
  return NULL;
}
static void *sleep_long(void *argument) {
  (void)argument;
  for (;;) pause();
  return NULL;
}
static void *execute(void *argument) {
  char pid[32];
  (void)argument;
  CHECK(gettid() != getpid());
  snprintf(pid, sizeof pid, "%d", getpid());
  execl("/proc/self/exe", name, pid, (char *)NULL);
  CHECK(!"execl returned");
}

int main(int argc, char **argv) {
  if (argc > 1) {
    say("same pid %d, tid is pid %d, threads %d\n", atoi(argv[1]) == getpid(), gettid() == getpid(),
        threads());
    return 5;
  }
  static long counter;
  pthread_t thread;
  name = argv[0];
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&thread, NULL, spin, &counter) == 0);
  CHECK(pthread_create(&thread, NULL, sleep_long, NULL) == 0);
  say("before: threads %d\n", threads());
  CHECK(pthread_create(&thread, NULL, execute, NULL) == 0);
  pthread_join(thread, NULL);
  return 1;
}

/* pthread_atfork: prepare in reverse order, parent and child in order; the child of a threaded process has
 * one thread. */
#include "sys_helpers.h"
#include <dirent.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void prepare_a(void) {
  say("prepare a\n");
}
static void parent_a(void) {
  CHECK(pthread_mutex_unlock(&lock) == 0);
}
static void child_a(void) {
  say("child a\n");
  CHECK(pthread_mutex_unlock(&lock) == 0);
}
static void prepare_b(void) {
  CHECK(pthread_mutex_lock(&lock) == 0);
  say("prepare b\n");
}
static void child_b(void) {
  say("child b\n");
}

static void *contend(void *argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    ++*(volatile long *)argument;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static int threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks);
  for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

int main(void) {
  static long counter;
  pthread_t thread;
  CHECK(pthread_atfork(prepare_a, parent_a, child_a) == 0 && pthread_atfork(prepare_b, NULL, child_b) == 0);
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&thread, NULL, contend, &counter) == 0);
  say("threads %d\n", threads());
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (child == 0) {
      say("child threads %d\n", threads());
      free(malloc(100000));
      CHECK(pthread_mutex_lock(&lock) == 0);
      CHECK(pthread_create(&thread, NULL, contend, &counter) == 0);
      say("child threads %d\n", threads());
      _exit(i);
    }
    say_status("child", reap(child));
  }
  return 0;
}

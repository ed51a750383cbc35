/* Exit statuses: return, exit, _exit, raw exit and exit_group, values beyond a byte, the last thread's
 * end. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sys/syscall.h>

static void *raw_exit_thread(void *argument) {
  (void)argument;
  syscall(SYS_exit, 21);
  return NULL;
}
static void *group_exit_thread(void *argument) {
  (void)argument;
  syscall(SYS_exit_group, 22);
  return NULL;
}
static void *late_thread(void *argument) {
  pthread_join(*(pthread_t *)argument, NULL);
  return NULL;
}

static void by_exit(void) {
  exit(3);
}
static void by_underscore(void) {
  _exit(4);
}
static void by_large(void) {
  exit(256 + 5);
}
static void by_negative(void) {
  exit(-1);
}
static void by_raw_exit(void) {
  syscall(SYS_exit, 6);
}
static void by_group(void) {
  syscall(SYS_exit_group, 7);
}
static void by_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, group_exit_thread, NULL);
  for (;;) pause();
}
static void by_raw_thread_then_main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, raw_exit_thread, NULL);
  pthread_join(thread, NULL);
  _exit(8);
}
static void by_main_thread_leaving(void) {
  static pthread_t self, thread;
  self = pthread_self();
  pthread_create(&thread, NULL, late_thread, &self);
  pthread_exit(NULL);
}
static void by_raw_main_leaving(void) {
  static pthread_t thread;
  pthread_create(&thread, NULL, group_exit_thread, NULL);
  syscall(SYS_exit, 9);
}

static void run(const char *what, void (*end)(void)) {
  pid_t child = fork();
  if (child == 0) {
    end();
    _exit(98);
  }
  say_status(what, reap(child));
}

int main(void) {
  run("exit", by_exit);
  run("_exit", by_underscore);
  run("exit(261)", by_large);
  run("exit(-1)", by_negative);
  run("raw exit of the only thread", by_raw_exit);
  run("raw exit_group", by_group);
  run("exit_group in a thread", by_thread);
  run("a thread's raw exit, then main", by_raw_thread_then_main);
  run("main leaves first", by_main_thread_leaving);
  run("main leaves raw, thread ends the group", by_raw_main_leaving);
  return 300;
}

/* Order at exit: atexit and on_exit backwards, destructors after, buffered output flushed; quick_exit and
 * _exit skip. */
#include "sys_helpers.h"

static void first(void) {
  say("first registered\n");
}
static void second(void) {
  say("second registered\n");
}
static void late(void) {
  say("registered while exiting\n");
}
static void adds_one(void) {
  say("adds one\n");
  atexit(late);
}
static void with_status(int status, void *argument) {
  say("on_exit status %d argument %s\n", status, (char *)argument);
}
static void quick(void) {
  say("quick\n");
}
__attribute__((constructor)) static void construct(void) {
  say("constructor\n");
}
__attribute__((destructor)) static void destruct(void) {
  say("destructor\n");
}

int main(void) {
  atexit(first), atexit(second), on_exit(with_status, "hello"), atexit(adds_one), at_quick_exit(quick);
  pid_t child = fork();
  if (child == 0) quick_exit(5);
  say_status("quick_exit", reap(child));
  child = fork();
  if (child == 0) {
    printf("never flushed\n");
    _exit(6);
  }
  say_status("_exit", reap(child));
  printf("flushed at the end\n");
  exit(17);
}

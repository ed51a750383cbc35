/* The main stack grows by itself: far touches below the pointer, deep recursion, large frames; a thread's
 * does not. */
#include "sys_helpers.h"
#include <alloca.h>
#include <pthread.h>

__attribute__((noinline)) static long deep(int n) {
  volatile char room[1000];
  room[0] = n, room[999] = n * 3;
  return n == 0 ? 0 : deep(n - 1) + room[0] + room[999];
}

__attribute__((noinline)) static long wide(size_t size) {
  volatile char *room = alloca(size);
  room[0] = 5; /* the far end first: pages in between are skipped */
  room[size - 1] = 7;
  for (size_t i = 4096; i < size - 1; i += 4096) room[i] = 1;
  return room[0] * 10 + room[size - 1] + room[size / 2 & -4096UL];
}

static void *in_thread(void *argument) {
  no_core();
  return (void *)wide((size_t)argument);
}

int main(void) {
  struct rlimit limit = {8 << 20, RLIM_INFINITY};
  CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
  say("deep %ld\n", deep(4000));
  say("wide %ld\n", wide(1 << 20));
  say("wider %ld\n", wide(6 << 20));
  pid_t child = fork();
  if (child == 0) {
    no_core();
    _exit((int)wide(80 << 20)); /* beyond the limit */
  }
  say_status("too wide", reap(child));
  child = fork();
  if (child == 0) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_create(&thread, &attributes, in_thread, (void *)(((1UL << 20) + 2000)));
    pthread_join(thread, NULL);
    _exit(0);
  }
  say_status("a thread's guard page", reap(child));
  return 0;
}

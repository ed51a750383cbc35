/* More threads than are known at a time: a process takes the place of another that has ended. Whoever has seen what that one left has to see it
 * in replay, too, however long it takes there: waits that end by themselves take no time then.
 * Whose place is taken: the next one that is free. The watchers' come first, and they stay; then that of the slow one. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { PLACES = 512, WATCHERS = 4, HEIRS = 3, SHORT = 10000, LONG = 30000000 };

static struct {
  _Atomic pid_t slow;
  uint32_t result;
  _Atomic bool over;
} * shared;

static void *nothing(void *of) {
  return of;
}

/* Until the slow one is gone: nobody is asked for that but the kernel. */
static void watch(void) {
  pid_t slow;
  while (!(slow = shared->slow)) usleep(100);
  while (!kill(slow, 0)) usleep(100);
  CHECK(errno == ESRCH);
  printf("left: %u\n", shared->result);
  fflush(stdout);
  while (!shared->over) usleep(1000);
  _exit(0);
}

static uint32_t count(unsigned times) {
  uint32_t value = 1;
  for (unsigned i = 0; i < times; i++) value = value * 1664525 + 1013904223;
  return value;
}

static void work(void) {
  shared->result = count(LONG);
  _exit(0);
}

static pid_t start(void (*what)(void)) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (!pid) what();
  return pid;
}

static void leave(void) {
  _exit(0);
}

int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  pid_t watcher[WATCHERS], slow;
  for (unsigned i = 0; i < WATCHERS; i++) watcher[i] = start(watch);
  for (unsigned i = 1 + WATCHERS; i < PLACES; i++) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, nothing, NULL) && !pthread_join(thread, NULL));
  }
  slow = start(work);
  shared->slow = slow;
  CHECK(waitpid(slow, NULL, 0) == slow);
  for (unsigned i = 0; i < HEIRS; i++) {
    usleep(50000);       /* a place is free again only when all is logged that it had to say */
    CHECK(count(SHORT)); /* so that the wait for the one before comes with the birth, and not earlier */
    pid_t next = start(leave);
    CHECK(waitpid(next, NULL, 0) == next);
  }
  shared->over = true;
  for (unsigned i = 0; i < WATCHERS; i++) CHECK(waitpid(watcher[i], NULL, 0) == watcher[i]);
  puts("done");
}

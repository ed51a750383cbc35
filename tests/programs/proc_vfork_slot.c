/* Almost as many threads as are known at a time, then processes one after the other: a child of vfork takes the place of a process that
 * has ended. Only the kernel says so: a replay comes to the vfork long before that process is done there, and the kernel then holds the parent.
 * At last there are as many threads as can be: there a replay has to wait for a place. */
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>

#include "check.h"

enum { PLACES = 512, LEFT = 8, WORK = 30000000 };

static void *stay(void *unused) {
  while (pause()) continue;
  return unused;
}

static void await(pid_t pid, int expected) {
  int status;
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected);
  usleep(20000); /* a place is free again only when all is logged that it had to say */
}

static int compute(void) {
  uint32_t value = 1;
  for (int i = 0; i < WORK; i++) value = value * 1664525 + 1013904223;
  return value == 0;
}

static void add_threads(int count) {
  pthread_attr_t attributes;
  CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 1 << 17));
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, &attributes, stay, NULL));
  }
}

static void follow(int children) {
  pid_t pid = fork();
  if (!pid) _exit(compute());
  await(pid, 0);
  for (volatile int i = 0; i < children; i++) {
    pid = vfork();
    if (!pid) _exit(3);
    await(pid, 3);
  }
}

int main(void) {
  add_threads(PLACES - 1 - LEFT);
  follow(LEFT + 1);
  add_threads(LEFT - 1);
  follow(2);
  puts("done");
  return 0;
}

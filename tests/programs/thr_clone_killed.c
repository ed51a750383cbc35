/* CLONE_CHILD_CLEARTID of a process in our memory: its word is cleared, and whoever waits for that is woken, however it ends. And words and lists
 * that lie in no memory at all do nobody any harm. */
#include "sys_helpers.h"
#include <dirent.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { STACK = 256 << 10 };
enum end { RETURN, EXIT_GROUP, KILLED_BY_ITSELF, KILLED, TERMINATED, FAULT, ENDS };
static const char *const names[] = {"returns",   "exits",         "kills itself",
                                    "is killed", "is terminated", "faults"};

static volatile int tid, ready;
static char *stack, *nowhere;

static int child(void *end) {
  switch ((enum end)(intptr_t)end) {
    case RETURN:
      return 0;
    case EXIT_GROUP:
      _exit(0);
    case KILLED_BY_ITSELF:
      kill((pid_t)syscall(SYS_getpid), SIGKILL);
      return 0;
    case FAULT:
      *(volatile char *)nowhere = 0;
      return 0;
    default:
      ready = 1;
      for (;;) pause();
  }
}

static void trial(enum end end) {
  int flags = CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, status, before;
  ready = 0;
  pid_t pid = clone(child, stack + STACK, flags | SIGCHLD, (void *)(intptr_t)end, &tid, NULL, &tid);
  CHECK(pid > 0);
  if (end == KILLED || end == TERMINATED) {
    while (!ready) sched_yield();
    CHECK(kill(pid, end == KILLED ? SIGKILL : SIGTERM) == 0);
  }
  while ((before = tid)) syscall(SYS_futex, &tid, FUTEX_WAIT, before, NULL, NULL, 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  say("%s: the word is %d, ", names[end], tid);
  say_status("status", status);
}

static void *lost_words(void *unused) {
  syscall(SYS_set_tid_address, nowhere);
  syscall(SYS_set_robust_list, nowhere, 24);
  syscall(SYS_exit, 0);
  return unused;
}

/* The thread's end is told nowhere: until /proc has this one alone. */
static void await_alone(void) {
  for (;;) {
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    CHECK(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    if (count == 3) return;
    sched_yield();
  }
}

int main(void) {
  no_core();
  stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED && nowhere != MAP_FAILED);
  for (int round = 0; round < 4; round++)
    for (int end = 0; end < ENDS; end++) trial((enum end)end);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, lost_words, NULL) == 0);
  await_alone();
  say("fine\n");
  return 0;
}

/* Processes that are stopped and continued at any moment of their lives: while they are busy with calls, compute, are just born, or
 * stop themselves; alone, with threads, and in groups. Whoever stops them is told, and they go on when they are continued. */
/* cflags: -pthread */
#include "sys_helpers.h"
#include <pthread.h>
#include <sys/syscall.h>

static void *busy(void *nothing) {
  int ends[2];
  char byte = 0;
  (void)nothing;
  CHECK(pipe(ends) == 0);
  for (volatile unsigned n = 0;; n++) {
    CHECK(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
    if (n % 8 == 0)
      for (volatile int i = 0; i < 20000; i++) continue;
  }
}

static void *stops_itself(void *nothing) {
  (void)nothing;
  for (;;) CHECK(kill(getpid(), SIGSTOP) == 0);
}

static pid_t start(int threads, void *(*last)(void *)) {
  pid_t child = fork();
  if (child) return child;
  for (int i = 1; i < threads; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, busy, NULL) == 0);
  }
  last(NULL);
  _exit(9);
}

/* In a group of its own, whose parent is in another: signals of the terminal stop it. */
static pid_t start_apart(int threads) {
  pid_t child = start(threads, busy);
  CHECK(setpgid(child, child) == 0);
  return child;
}

static void await_stop(pid_t child, int sig) {
  int status;
  CHECK(waitpid(child, &status, WUNTRACED) == child);
  CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == sig);
}

static void await_continue(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
}

static void stop_and_continue(const char *what, int threads, int sig, int rounds) {
  pid_t child = start_apart(threads);
  for (int i = 0; i < rounds; i++) {
    CHECK(kill(child, sig) == 0);
    await_stop(child, sig);
    CHECK(kill(child, SIGCONT) == 0);
    await_continue(child);
  }
  CHECK(kill(child, sig) == 0);
  await_stop(child, sig);
  CHECK(kill(child, SIGKILL) == 0);
  say_status(what, reap(child));
}

/* Nobody looks whether it has stopped before it is to go on: it must, in the end. */
static void without_waiting(const char *what, int threads, int sig) {
  pid_t child = start_apart(threads);
  for (int i = 0; i < 100; i++) CHECK(kill(child, sig) == 0 && kill(child, SIGCONT) == 0);
  CHECK(kill(child, SIGTERM) == 0);
  say_status(what, reap(child));
}

static void by_itself(int threads) {
  pid_t child = start(threads, stops_itself);
  for (int i = 0; i < 20; i++) {
    await_stop(child, SIGSTOP);
    CHECK(kill(child, SIGCONT) == 0);
  }
  CHECK(kill(child, SIGKILL) == 0);
  say_status("stops itself", reap(child));
}

static void group(int threads) {
  pid_t members[3], leader = 0;
  for (int i = 0; i < 3; i++) {
    members[i] = start(threads, busy);
    if (!leader) leader = members[i];
    CHECK(setpgid(members[i], leader) == 0);
  }
  for (int round = 0; round < 10; round++) {
    CHECK(kill(-leader, SIGSTOP) == 0);
    for (int i = 0; i < 3; i++) await_stop(members[i], SIGSTOP);
    CHECK(kill(-leader, SIGCONT) == 0);
    for (int i = 0; i < 3; i++) await_continue(members[i]);
  }
  CHECK(kill(-leader, SIGKILL) == 0);
  for (int i = 0; i < 3; i++) say_status("a group", reap(members[i]));
}

/* One of the group stops it all. */
static void own_group(void) {
  pid_t leader = fork();
  if (leader == 0) {
    CHECK(setpgid(0, 0) == 0);
    start(2, busy);
    start(1, busy);
    for (int i = 0; i < 10; i++) CHECK(kill(0, SIGSTOP) == 0);
    kill(0, SIGKILL);
  }
  for (int i = 0; i < 10; i++) {
    await_stop(leader, SIGSTOP);
    CHECK(kill(-leader, SIGCONT) == 0);
  }
  say_status("its own group", reap(leader));
}

static void by_descriptor(void) {
  pid_t child = start(1, busy);
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
  CHECK(fd >= 0);
  for (int i = 0; i < 20; i++) {
    CHECK(syscall(SYS_pidfd_send_signal, fd, SIGSTOP, NULL, 0) == 0);
    await_stop(child, SIGSTOP);
    CHECK(syscall(SYS_pidfd_send_signal, fd, SIGCONT, NULL, 0) == 0);
    await_continue(child);
  }
  CHECK(kill(child, SIGKILL) == 0);
  say_status("by descriptor", reap(child));
}

/* Stopped as soon as it is born. */
static void newborn(void) {
  for (int i = 0; i < 20; i++) {
    pid_t child = start(1, busy);
    CHECK(kill(child, SIGSTOP) == 0);
    await_stop(child, SIGSTOP);
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(WTERMSIG(reap(child)) == SIGKILL);
  }
  say("newborn\n");
}

int main(void) {
  stop_and_continue("one thread", 1, SIGSTOP, 40);
  stop_and_continue("threads", 3, SIGSTOP, 20);
  stop_and_continue("one thread, SIGTSTP", 1, SIGTSTP, 20);
  stop_and_continue("threads, SIGTSTP", 3, SIGTSTP, 10);
  without_waiting("without waiting", 1, SIGSTOP);
  without_waiting("without waiting, SIGTSTP", 1, SIGTSTP);
  without_waiting("threads, without waiting", 3, SIGTSTP);
  by_itself(1);
  by_itself(3);
  group(1);
  group(2);
  own_group();
  by_descriptor();
  newborn();
  return 0;
}

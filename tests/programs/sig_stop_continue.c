/* SIGSTOP and SIGCONT of a child that sleeps, polls and waits: the calls go on, none reports EINTR. */
#include "sys_helpers.h"
#include <poll.h>
#include <time.h>

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static long do_nanosleep(void) {
  return nanosleep(&(struct timespec){0, 60000000}, NULL);
}
static long do_clock(void) {
  return -clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 60000000}, NULL);
}
static long do_poll(void) {
  return poll(NULL, 0, 60);
}
static long do_select(void) {
  return select(0, NULL, NULL, NULL, &(struct timeval){0, 60000});
}

static void run(const char *what, long (*call)(void)) {
  pid_t child = fork();
  if (child == 0) {
    long start = now_ms(), result = call();
    _exit(result == 0 && now_ms() - start >= 60 ? 1 : 2);
  }
  int status;
  for (int i = 0; i < 3; i++) {
    CHECK(kill(child, SIGSTOP) == 0 && waitpid(child, &status, WUNTRACED) == child);
    if (!WIFSTOPPED(status)) break;
    CHECK(kill(child, SIGCONT) == 0 && waitpid(child, &status, WCONTINUED) == child);
    if (!WIFCONTINUED(status)) break;
    status = -1;
  }
  if (status == -1) status = reap(child);
  say_status(what, status);
}

static volatile int continued;
static void on_continue(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  continued++;
}

int main(void) {
  run("nanosleep", do_nanosleep);
  run("clock_nanosleep", do_clock);
  run("poll", do_poll);
  run("select", do_select);
  pid_t child = fork();
  if (child == 0) { /* a handler for SIGCONT runs after the stop, and a stop pending before it is gone */
    handle(SIGCONT, on_continue, 0);
    mask_one(SIG_BLOCK, SIGTSTP);
    raise(SIGTSTP);
    int before = is_pending(SIGTSTP);
    raise(SIGCONT);
    int after = is_pending(SIGTSTP);
    raise(SIGSTOP);
    _exit(before * 100 + after * 10 + continued);
  }
  int status;
  CHECK(waitpid(child, &status, WUNTRACED) == child);
  say_status("handler", status);
  CHECK(kill(child, SIGCONT) == 0);
  say_status("handler", reap(child));
  child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  CHECK(waitpid(child, &status, WUNTRACED) == child && kill(child, SIGTERM) == 0);
  say("a stopped process keeps SIGTERM: %d\n", waitpid(child, &status, WNOHANG) == 0);
  CHECK(kill(child, SIGCONT) == 0);
  say_status("ended when it goes on", reap(child));
  child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  CHECK(waitpid(child, &status, WUNTRACED) == child && kill(child, SIGKILL) == 0);
  say_status("SIGKILL needs no SIGCONT", reap(child));
  return 0;
}

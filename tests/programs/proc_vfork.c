/* vfork: the child runs first in the parent's memory, the parent sleeps until it exits or executes. */
#include "sys_helpers.h"
#include <fcntl.h>

static volatile int counter = 1, handled, handled_in_child;
static pid_t parent;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  getpid() == parent ? handled++ : handled_in_child++;
}

int main(void) {
  volatile int local = 5, descriptor;
  parent = getpid();
  handle(SIGUSR1, on_signal, 0);
  pid_t child = vfork();
  if (child == 0) {
    counter = 2, local = 6;
    descriptor = open("/dev/null", O_RDONLY);
    kill(parent, SIGUSR1);
    local += handled * 100; /* the parent must not have run its handler yet */
    kill(getpid(), SIGUSR1);
    _exit(7);
  }
  say("after exit: counter %d local %d handled %d in child %d\n", counter, local, handled, handled_in_child);
  say("its descriptor is not ours: %s\n", outcome(fcntl(descriptor, F_GETFD)));
  say_status("child", reap(child));
  child = vfork();
  if (child == 0) {
    counter = 3;
    execl("/bin/sh", "sh", "-c", "echo from the shell; exit 8", (char *)NULL);
    _exit(127);
  }
  say_status("shell", reap(child));
  child = vfork();
  if (child == 0) {
    execl("/nonexistent/program", "x", (char *)NULL);
    counter = errno;
    _exit(9);
  }
  say_status("failing exec", reap(child));
  say("errno seen there %s\n", strerrorname_np(counter));
  return 0;
}

/* SIGPIPE: fatal by default, EPIPE when ignored or handled, not with MSG_NOSIGNAL; siginfo says the kernel
 * sent it. */
#include "sys_helpers.h"
#include <sys/socket.h>

static void show(int sig, siginfo_t *info, void *context) {
  (void)context;
  say("  SIG%s code %d own pid %d\n", sigabbrev_np(sig), info->si_code, info->si_pid == getpid());
}

int main(void) {
  int ends[2], pair[2];
  CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && close(pair[0]) == 0);
  signal(SIGPIPE, SIG_DFL);
  pid_t child = fork();
  if (child == 0) _exit(write(ends[1], "x", 1) == 1);
  say_status("default", reap(child));
  signal(SIGPIPE, SIG_IGN);
  say("ignored: %s\n", outcome(write(ends[1], "x", 1)));
  handle(SIGPIPE, show, 0);
  say("handled: %s\n", outcome(write(ends[1], "x", 1)));
  say("socket: %s\n", outcome(write(pair[1], "x", 1)));
  say("MSG_NOSIGNAL: %s\n", outcome(send(pair[1], "x", 1, MSG_NOSIGNAL)));
  say("nothing to write: %s\n", outcome(write(ends[1], "x", 0)));
  return 0;
}

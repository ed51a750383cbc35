/* Process descriptors: open, poll for the end, signal, wait by P_PIDFD, take a descriptor, CLONE_PIDFD. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int main(void) {
  siginfo_t info = {0};
  int gate[2], ready[2];
  CHECK(pipe(gate) == 0 && pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    int file = scratch_file();
    CHECK(dup2(file, 40) == 40 && write(40, "child's file", 12) == 12);
    CHECK(write(ready[1], "r", 1) == 1 && read(gate[0], &(char){0}, 1) == 1);
    _exit(23);
  }
  CHECK(read(ready[0], &(char){0}, 1) == 1);
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
  CHECK(fd >= 0);
  struct pollfd polled = {fd, POLLIN, 0};
  say("close-on-exec %d, running: %d\n", fcntl(fd, F_GETFD), poll(&polled, 1, 0));
  int taken = (int)syscall(SYS_pidfd_getfd, fd, 40, 0);
  char text[32] = "";
  if (taken >= 0) CHECK(pread(taken, text, 31, 0) == 12);
  say("its descriptor: %s %s\n", outcome(taken), text);
  say("signal 0: %s\n", outcome(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0)));
  CHECK(write(gate[1], "g", 1) == 1 && poll(&polled, 1, -1) == 1);
  say("ended: revents %x\n", (unsigned)polled.revents);
  CHECK(waitid((idtype_t)P_PIDFD, fd, &info, WEXITED) == 0);
  say("waitid: code %d status %d child %d\n", info.si_code, info.si_status, info.si_pid == child);
  say("after: %s\n", outcome(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0)));
  int by_clone = -1;
  child = (pid_t)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &by_clone, 0, 0);
  if (child == 0) {
    for (;;) pause();
  }
  CHECK(child > 0 && by_clone >= 0 && syscall(SYS_pidfd_send_signal, by_clone, SIGTERM, NULL, 0) == 0);
  say_status("CLONE_PIDFD", reap(child));
  say("no such process: %s\n", outcome(syscall(SYS_pidfd_open, 0x3fffffff, 0)));
  return 0;
}

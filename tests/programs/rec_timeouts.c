/* Waits with relative timeouts, which come to their ends although another process of the sphere computes all the time. */
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { MILLISECONDS = 150 };

int main(int argc, char **argv) {
  struct timespec time = {0, MILLISECONDS * 1000000L};
  struct timeval short_time = {0, MILLISECONDS * 1000L};
  struct epoll_event event;
  sigset_t none;
  volatile uint64_t count = 0;
  (void)argv;
  pid_t worker = fork();
  while (!worker) count++;
  CHECK(poll(NULL, 0, MILLISECONDS) == 0);
  CHECK(ppoll(NULL, 0, &time, NULL) == 0);
  CHECK(select(0, NULL, NULL, NULL, &short_time) == 0);
  CHECK(pselect(0, NULL, NULL, NULL, &time, NULL) == 0);
  CHECK(nanosleep(&time, NULL) == 0);
  CHECK(epoll_wait(epoll_create1(0), &event, 1, MILLISECONDS) == 0);
  sigemptyset(&none);
  CHECK(sigtimedwait(&none, NULL, &time) == -1 && errno == EAGAIN);
  CHECK(time.tv_nsec == MILLISECONDS * 1000000L);
  kill(worker, SIGKILL);
  CHECK(waitpid(worker, NULL, 0) == worker);
  puts("all waits are over");
  return argc > 1;
}

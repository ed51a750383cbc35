/* poll, ppoll, select, pselect, epoll_wait, epoll_pwait: EINTR even with SA_RESTART. */
#include "sig_interrupt.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static int ends[2], set;
static struct timespec minute = {60, 0};

static long do_poll(void) {
  return poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, 60000);
}
static long do_poll_forever(void) {
  return poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, -1);
}
static long do_ppoll(void) {
  return ppoll(&(struct pollfd){ends[0], POLLIN, 0}, 1, &minute, NULL);
}
static long do_select(void) {
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(ends[0], &reads);
  return select(ends[0] + 1, &reads, NULL, NULL, &(struct timeval){60, 0});
}
static long do_pselect(void) {
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(ends[0], &reads);
  return pselect(ends[0] + 1, &reads, NULL, NULL, NULL, NULL);
}
static long do_epoll(void) {
  return epoll_wait(set, &(struct epoll_event){0}, 1, -1);
}
static long do_epoll_pwait(void) {
  sigset_t none;
  sigemptyset(&none);
  return epoll_pwait(set, &(struct epoll_event){0}, 1, 60000, &none);
}

int main(void) {
  CHECK(pipe(ends) == 0 && (set = epoll_create1(0)) >= 0);
  struct epoll_event event = {.events = EPOLLIN};
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  for (int flags = 0;; flags = SA_RESTART) {
    interrupted("poll", flags, do_poll);
    interrupted("poll without end", flags, do_poll_forever);
    interrupted("ppoll", flags, do_ppoll);
    interrupted("select", flags, do_select);
    interrupted("pselect", flags, do_pselect);
    interrupted("epoll_wait", flags, do_epoll);
    interrupted("epoll_pwait", flags, do_epoll_pwait);
    if (flags) return 0;
  }
}

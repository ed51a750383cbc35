/* epoll: level, edge and one-shot events, data kept, modify and delete, nested, closed descriptors,
 * errors. */
#include "sys_helpers.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>

static int set;

static void show(const char *when) {
  struct epoll_event events[8];
  int n = epoll_wait(set, events, 8, 0);
  say("%s: %d", when, n);
  for (int i = 0; i < n; i++) say(" [%x %lx]", events[i].events, events[i].data.u64);
  say("\n");
}

static long control(int operation, int fd, unsigned events, unsigned long data) {
  struct epoll_event event = {.events = events, .data.u64 = data};
  return epoll_ctl(set, operation, fd, &event);
}

int main(void) {
  int ends[2], event = eventfd(0, EFD_NONBLOCK);
  CHECK((set = epoll_create1(EPOLL_CLOEXEC)) >= 0 && event >= 0 && pipe(ends) == 0);
  CHECK(control(EPOLL_CTL_ADD, ends[0], EPOLLIN, 0x1122334455667788) == 0);
  show("nothing");
  CHECK(write(ends[1], "ab", 2) == 2);
  show("level");
  show("level again");
  CHECK(control(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET, 7) == 0);
  show("edge");
  show("edge again");
  CHECK(write(ends[1], "c", 1) == 1);
  show("edge after more");
  CHECK(control(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT, 8) == 0);
  show("one shot");
  show("one shot again");
  CHECK(control(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT, 9) == 0);
  show("armed again");
  CHECK(control(EPOLL_CTL_MOD, ends[0], EPOLLIN, 10) == 0 &&
        control(EPOLL_CTL_ADD, event, EPOLLIN | EPOLLOUT, 11) == 0);
  show("two");
  CHECK(eventfd_write(event, 5) == 0 && close(ends[1]) == 0 && read(ends[0], (char[8]){0}, 8) == 3);
  show("hang-up");
  say("add twice: %s\n", outcome(control(EPOLL_CTL_ADD, event, EPOLLIN, 0)));
  CHECK(control(EPOLL_CTL_DEL, ends[0], 0, 0) == 0);
  say("delete twice: %s\n", outcome(control(EPOLL_CTL_DEL, ends[0], 0, 0)));
  say("a plain file: %s\n", outcome(control(EPOLL_CTL_ADD, scratch_file(), EPOLLIN, 0)));
  say("itself: %s, bad descriptor: %s\n", outcome(control(EPOLL_CTL_ADD, set, EPOLLIN, 0)),
      outcome(control(EPOLL_CTL_ADD, 999, EPOLLIN, 0)));
  int outer = epoll_create1(0), inner = set;
  set = outer;
  CHECK(control(EPOLL_CTL_ADD, inner, EPOLLIN, 0xabc) == 0);
  show("nested");
  CHECK(close(event) == 0);
  show("after close");
  say("zero room: %s\n", outcome(epoll_wait(set, (struct epoll_event[1]){0}, 0, 0)));
  return 0;
}

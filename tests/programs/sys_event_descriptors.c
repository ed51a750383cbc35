/* eventfd counting and semaphore modes, timerfd one-shot and periodic, inotify events with names and
 * cookies. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <time.h>

static void by_eventfd(void) {
  int counter = eventfd(3, EFD_NONBLOCK), semaphore = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
  eventfd_t value = 0;
  CHECK(counter >= 0 && semaphore >= 0 && eventfd_write(counter, 4) == 0 &&
        eventfd_read(counter, &value) == 0);
  say("counter %lu then %s\n", value, outcome(eventfd_read(counter, &value)));
  for (int i = 0; eventfd_read(semaphore, &value) == 0; i++) say("semaphore %d %lu\n", i, value);
  CHECK(eventfd_write(counter, 0xfffffffffffffffe) == 0);
  say("full: %s, forbidden value: %s\n", outcome(eventfd_write(counter, 1)),
      outcome(eventfd_write(counter, ~0UL)));
  say("short read: %s\n", outcome(read(counter, &value, 4)));
}

static void by_timerfd(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  unsigned long expirations = 0;
  struct itimerspec once = {{0, 0}, {0, 2000000}}, often = {{0, 1000000}, {0, 1000000}}, left;
  CHECK(fd >= 0);
  say("not started: %s\n", outcome(read(fd, &expirations, 8)));
  CHECK(timerfd_settime(fd, 0, &once, NULL) == 0 && poll(&(struct pollfd){fd, POLLIN, 0}, 1, -1) == 1);
  CHECK(read(fd, &expirations, 8) == 8);
  say("once: %lu then %s\n", expirations, outcome(read(fd, &expirations, 8)));
  CHECK(timerfd_settime(fd, 0, &often, NULL) == 0);
  unsigned long total = 0;
  while (total < 10) {
    CHECK(poll(&(struct pollfd){fd, POLLIN, 0}, 1, -1) == 1 && read(fd, &expirations, 8) == 8);
    total += expirations;
  }
  CHECK(timerfd_gettime(fd, &left) == 0);
  say("often: at least ten, interval %ld\n", left.it_interval.tv_nsec);
  struct itimerspec past = {{0, 0}, {1, 0}};
  CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL) == 0);
  CHECK(poll(&(struct pollfd){fd, POLLIN, 0}, 1, -1) == 1 && read(fd, &expirations, 8) == 8);
  say("in the past: %lu\n", expirations);
  say("bad clock: %s\n", outcome(timerfd_create(77, 0)));
}

static void by_inotify(void) {
  char directory[] = "/tmp/notify-XXXXXX", from[64], to[64], events[4096] __attribute__((aligned(8)));
  int fd = inotify_init1(IN_NONBLOCK);
  CHECK(fd >= 0 && mkdtemp(directory));
  int watch = inotify_add_watch(fd, directory, IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE | IN_MODIFY);
  CHECK(watch >= 0);
  snprintf(from, sizeof from, "%s/from", directory), snprintf(to, sizeof to, "%s/to", directory);
  int file = open(from, O_CREAT | O_WRONLY, 0600);
  CHECK(file >= 0 && write(file, "x", 1) == 1 && close(file) == 0 && rename(from, to) == 0 &&
        unlink(to) == 0);
  unsigned cookie = 0;
  ssize_t length = read(fd, events, sizeof events);
  for (char *p = events; p < events + length;) {
    struct inotify_event *event = (struct inotify_event *)p;
    if (event->mask & IN_MOVED_FROM) cookie = event->cookie;
    say("event %x name %s watch %d cookie pairs %d\n", event->mask, event->name, event->wd == watch,
        event->cookie == cookie || event->cookie == 0);
    p += sizeof *event + event->len;
  }
  CHECK(rmdir(directory) == 0);
  length = read(fd, events, sizeof events);
  say("directory gone: event %x then %s\n", ((struct inotify_event *)events)->mask,
      outcome(read(fd, events, sizeof events)));
}

int main(void) {
  by_eventfd();
  by_timerfd();
  by_inotify();
  return 0;
}

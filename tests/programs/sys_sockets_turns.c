/* Sockets that are ready and sockets that are not, between threads and processes: blocking ones, to which everything is written however
 * little room there is, others that take what they can, and what comes in order. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { LARGE = 3 << 20, ROUNDS = 200 };
static int ends[2];
static unsigned char large[LARGE];

static unsigned sum(const unsigned char *bytes, size_t count, unsigned sum) {
  for (size_t i = 0; i < count; i++) sum = sum * 31 + bytes[i];
  return sum;
}

/* Reads until the other end is closed. */
static void *take_all(void *how) {
  unsigned char buffer[5000];
  unsigned got = 0;
  size_t all = 0;
  for (;;) {
    ssize_t n = how ? recv(ends[1], buffer, sizeof buffer, 0) : read(ends[1], buffer, sizeof buffer);
    CHECK(n >= 0);
    if (!n) break;
    got = sum(buffer, (size_t)n, got);
    all += (size_t)n;
  }
  printf("took %zu bytes, %x\n", all, got);
  return NULL;
}

/* More than there is room for: the call waits until all of it is gone. */
static void send_large(int by_send) {
  pthread_t taker;
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  CHECK(!pthread_create(&taker, NULL, take_all, by_send ? large : NULL));
  ssize_t n = by_send ? send(ends[0], large, LARGE, MSG_NOSIGNAL) : write(ends[0], large, LARGE);
  printf("sent %zd bytes, %x\n", n, sum(large, LARGE, 0));
  close(ends[0]);
  pthread_join(taker, NULL);
  close(ends[1]);
}

/* Who does not wait is told how much there was room for. */
static void send_some(void) {
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
  ssize_t n = write(ends[0], large, LARGE), m = read(ends[1], large, LARGE), rest;
  CHECK(n > 0 && n < LARGE && m > 0 && m <= n);
  while ((rest = recv(ends[1], large, LARGE, MSG_DONTWAIT)) > 0) m += rest;
  CHECK(rest < 0 && errno == EAGAIN && m == n);
  CHECK(read(ends[1], large, 10) < 0 && errno == EAGAIN);
  close(ends[0]);
  CHECK(read(ends[1], large, 10) == 0);
  signal(SIGPIPE, SIG_IGN);
  CHECK(write(ends[1], large, 10) < 0 && errno == EPIPE);
  signal(SIGPIPE, SIG_DFL);
  close(ends[1]);
}

/* A descriptor is a socket, then a pipe, then a socket again. */
static void change_kinds(void) {
  char byte = 'x';
  for (int round = 0; round < 300; round++) {
    if (round % 3 == 1)
      CHECK(!pipe(ends));
    else
      CHECK(!socketpair(AF_UNIX, round % 2 ? SOCK_SEQPACKET : SOCK_STREAM, 0, ends));
    int from = ends[0], to = ends[1];
    CHECK(write(to, &byte, 1) == 1 && read(from, &byte, 1) == 1 && byte == 'x');
    close(from);
    close(to);
  }
}

static void answer(int from) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = from};
  int events = epoll_create1(0);
  CHECK(events >= 0 && !epoll_ctl(events, EPOLL_CTL_ADD, from, &event));
  for (;;) {
    int number, n = epoll_wait(events, &event, 1, -1);
    CHECK(n == 1);
    ssize_t count = read(from, &number, sizeof number);
    if (!count) break;
    CHECK(count == sizeof number);
    number = number * 2 + 1;
    CHECK(write(from, &number, sizeof number) == sizeof number);
  }
  close(events);
}

/* A server in a process of its own, which waits for events; nothing comes when nobody asks. */
static void ask_and_answer(void) {
  int wanted = 0;
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    close(ends[0]);
    answer(ends[1]);
    _exit(7);
  }
  close(ends[1]);
  for (int number = 0; number < ROUNDS; number++) {
    int got;
    CHECK(send(ends[0], &number, sizeof number, 0) == sizeof number);
    CHECK(recv(ends[0], &got, sizeof got, 0) == sizeof got);
    wanted += got == number * 2 + 1;
  }
  struct epoll_event event = {.events = EPOLLIN};
  int events = epoll_create1(0), status;
  CHECK(!epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event));
  CHECK(epoll_wait(events, &event, 1, 0) == 0 && epoll_wait(events, &event, 1, 5) == 0);
  printf("%d answers\n", wanted);
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child);
  printf("server: %d\n", WEXITSTATUS(status));
}

static void *sleep_long(void *unused) {
  (void)unused;
  pause();
  return NULL;
}

int main(void) {
  pthread_t sleeper; /* so that this thread is never alone */
  CHECK(!pthread_create(&sleeper, NULL, sleep_long, NULL));
  for (size_t i = 0; i < LARGE; i++) large[i] = (unsigned char)(i * 7 + (i >> 9));
  send_large(0);
  send_large(1);
  send_some();
  change_kinds();
  ask_and_answer();
  return 0;
}

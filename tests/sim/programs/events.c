/* events.c: waiting for any of several files, counters, sockets of this machine, alarms, children. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pipes(void) {
  int ends[2];
  pipe(ends);
  struct pollfd files[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
  printf("poll empty %d", poll(files, 2, 0));
  printf(" %d %d\n", files[0].revents, files[1].revents);
  write(ends[1], "abc", 3);
  printf("poll full %d", poll(files, 2, -1));
  printf(" %d %d\n", files[0].revents, files[1].revents);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  printf("select %d", select(ends[0] + 1, &set, NULL, NULL, NULL));
  printf(" %d\n", FD_ISSET(ends[0], &set));
  char bytes[8];
  read(ends[0], bytes, 8);
  struct timeval little = {0, 1000};
  FD_SET(ends[0], &set);
  printf("select in vain %d\n", select(ends[0] + 1, &set, NULL, NULL, &little));
  close(ends[1]);
  printf("poll closed %d", poll(files, 1, -1));
  printf(" %d\n", files[0].revents);
  struct pollfd bad = {99, POLLIN, 0};
  printf("poll bad %d", poll(&bad, 1, -1));
  printf(" %d\n", bad.revents);
}

static int event;

static void *count(void *unused) {
  uint64_t one = 1;
  for (int i = 0; i < 50; i++) write(event, &one, sizeof one);
  return unused;
}

static void counters(void) {
  uint64_t sum = 0, value;
  pthread_t thread[3];
  event = eventfd(0, 0);
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, count, NULL);
  while (sum < 150) {
    struct pollfd file = {event, POLLIN, 0};
    poll(&file, 1, -1);
    read(event, &value, sizeof value);
    sum += value;
  }
  for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
  printf("eventfd %lu\n", (unsigned long)sum);
  int semaphore = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
  for (int i = 0; i < 3; i++) {
    ssize_t n = read(semaphore, &value, sizeof value);
    printf("semaphore %zd %d\n", n, n < 0 ? errno == EAGAIN : (int)value);
  }
}

static uint16_t port;
enum { CLIENTS = 4, ROUNDS = 20 };

static void *client(void *number) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(s, (void *)&address, sizeof address)) perror("connect");
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    int word = (int)(long)number * 100 + i, answer = 0;
    send(s, &word, sizeof word, MSG_NOSIGNAL);
    recv(s, &answer, sizeof answer, MSG_WAITALL);
    sum += answer;
  }
  close(s);
  return (void *)sum;
}

/* One thread serves all of them. */
static void server(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), open = 0, served = 0;
  printf("bind %d listen", bind(listener, (void *)&address, sizeof address));
  printf(" %d\n", listen(listener, 8));
  getsockname(listener, (void *)&address, &length);
  port = ntohs(address.sin_port);
  pthread_t thread[CLIENTS];
  for (long i = 0; i < CLIENTS; i++) pthread_create(&thread[i], NULL, client, (void *)i);
  int set = epoll_create1(0);
  struct epoll_event interest = {.events = EPOLLIN, .data.fd = listener}, ready[8];
  epoll_ctl(set, EPOLL_CTL_ADD, listener, &interest);
  while (served < CLIENTS) {
    int n = epoll_wait(set, ready, 8, -1);
    for (int i = 0; i < n; i++) {
      int fd = ready[i].data.fd, word;
      if (fd == listener) {
        int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        interest = (struct epoll_event){.events = EPOLLIN | EPOLLRDHUP, .data.fd = s};
        epoll_ctl(set, EPOLL_CTL_ADD, s, &interest);
        open++;
      } else if (recv(fd, &word, sizeof word, MSG_WAITALL) == sizeof word) {
        word *= 3;
        send(fd, &word, sizeof word, 0);
      } else {
        epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL);
        close(fd);
        served++;
      }
    }
  }
  long sum = 0;
  for (int i = 0; i < CLIENTS; i++) {
    void *own;
    pthread_join(thread[i], &own);
    sum += (long)own;
  }
  printf("served %d, sum %ld\n", open, sum);
  close(listener);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  printf("refused %d\n", connect(s, (void *)&address, sizeof address) && errno == ECONNREFUSED);
}

static void pairs(void) {
  int ends[2];
  char bytes[8] = "";
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  pid_t child = fork();
  if (!child) {
    read(ends[1], bytes, 8);
    write(ends[1], "pong", 4);
    _exit(strcmp(bytes, "ping") != 0);
  }
  close(ends[1]);
  write(ends[0], "ping", 4);
  shutdown(ends[0], SHUT_WR);
  ssize_t n = read(ends[0], bytes, 8), end = read(ends[0], bytes + 4, 4);
  printf("pair %zd %.4s %zd\n", n, bytes, end);
  siginfo_t info = {0};
  printf("waitid %d", waitid(P_PID, (id_t)child, &info, WEXITED));
  printf(" %d %d %d\n", info.si_pid == child, info.si_code, info.si_status);
}

static volatile int rang;
static void ring(int number) {
  rang += number == SIGALRM;
}

static void alarms(void) {
  signal(SIGALRM, ring);
  struct itimerval often = {{0, 2000}, {0, 1000}}, none = {{0, 0}, {0, 0}}, old;
  setitimer(ITIMER_REAL, &often, NULL);
  while (rang < 3) pause();
  setitimer(ITIMER_REAL, &none, &old);
  printf("alarms %d, every %ld\n", rang >= 3, (long)old.it_interval.tv_usec);
  alarm(100);
  printf("alarm left %u\n", alarm(0));
}

static volatile int timed, right;
static void expire(int number, siginfo_t *info, void *context) {
  (void)context;
  timed++;
  right += number == SIGUSR1 && info->si_code == SI_TIMER && info->si_value.sival_int == 77;
}

static void in_thread(union sigval value) {
  sem_post(value.sival_ptr);
}

static void timers(void) {
  struct sigaction action = {.sa_sigaction = expire, .sa_flags = SA_SIGINFO};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 77};
  struct itimerspec often = {{0, 2000000}, {0, 1000000}}, once = {{0, 0}, {0, 500000}}, now;
  timer_t timer;
  sem_t rung;
  sigaction(SIGUSR1, &action, NULL);
  printf("timer %d", timer_create(CLOCK_MONOTONIC, &event, &timer));
  timer_settime(timer, 0, &often, NULL);
  while (timed < 3) pause();
  timer_gettime(timer, &now);
  printf(" %d, every %ld, %d", right == timed, now.it_interval.tv_nsec, timer_getoverrun(timer) >= 0);
  printf(", gone %d", timer_delete(timer));
  printf(" %d\n", timer_gettime(timer, &now));
  sem_init(&rung, 0, 0);
  event = (struct sigevent){
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread, .sigev_value.sival_ptr = &rung};
  printf("timer %d", timer_create(CLOCK_REALTIME, &event, &timer));
  timer_settime(timer, 0, &once, NULL);
  while (sem_wait(&rung)) continue;
  printf(" in a thread\n");
  timer_delete(timer);
}

static void timer_files(void) {
  struct itimerspec often = {{0, 1000000}, {0, 1000000}}, now;
  int file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct pollfd wait = {file, POLLIN, 0};
  uint64_t count = 0, sum = 0;
  printf("timerfd %zd", read(file, &count, sizeof count));
  printf(" %d", errno == EAGAIN);
  clock_gettime(CLOCK_MONOTONIC, &now.it_value);
  often.it_value.tv_sec += now.it_value.tv_sec;
  timerfd_settime(file, TFD_TIMER_ABSTIME, &often, NULL); /* in the past, or nearly */
  while (sum < 4) {
    poll(&wait, 1, -1);
    if (read(file, &count, sizeof count) == sizeof count) sum += count;
  }
  timerfd_gettime(file, &now);
  printf(" %d, every %ld, write %zd\n", sum >= 4, now.it_interval.tv_nsec, write(file, &count, sizeof count));
  close(file);
}

/* A file is watched until it is closed, whatever has its descriptor afterwards. Sets may watch each other, but not in a circle. */
static void watched_again(void) {
  int ends[2], set = epoll_create1(0), other = epoll_create1(0);
  struct epoll_event interest = {.events = EPOLLIN}, ready;
  for (int i = 0; i < 3; i++) {
    pipe(ends);
    printf("watched %d", epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &interest));
    printf(" %d", epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &interest) && errno == EEXIST);
    write(ends[1], "a", 1);
    printf(" %d", epoll_wait(set, &ready, 1, -1));
    close(ends[0]);
    close(ends[1]);
    printf(" %d\n", epoll_wait(set, &ready, 1, 0));
  }
  printf("sets %d", epoll_ctl(set, EPOLL_CTL_ADD, other, &interest));
  printf(" %d\n", epoll_ctl(other, EPOLL_CTL_ADD, set, &interest) && errno == ELOOP);
  printf("no such descriptor %d\n", fcntl(set, F_DUPFD, -1) < 0 && errno == EINVAL);
  close(set);
  close(other);
}

int main(void) {
  watched_again();
  pipes();
  counters();
  server();
  pairs();
  alarms();
  timers();
  timer_files();
  return 0;
}

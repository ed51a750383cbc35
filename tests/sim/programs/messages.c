/* messages.c: signals that are queued, that a file tells, and that a call takes while it waits; messages in parts; what a thread is called. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static volatile sig_atomic_t values[16], count;

static void handle(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  if (count < 16) values[count++] = info->si_value.sival_int;
}

static sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

static void block(int number) {
  sigset_t set = only(number);
  CHECK(!sigprocmask(SIG_BLOCK, &set, NULL));
}

static void queued(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  sigset_t set = only(SIGRTMIN);
  CHECK(!sigaction(SIGRTMIN, &action, NULL));
  block(SIGRTMIN);
  for (int i = 1; i <= 5; i++) CHECK(!sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}));
  CHECK(!sigprocmask(SIG_UNBLOCK, &set, NULL));
  printf("queued:");
  for (int i = 0; i < count; i++) printf(" %d", (int)values[i]);
  printf("\n");
}

/* The signal is pending and blocked, and the call's mask lets it in. In the handler, and behind the call, masks are what they should be. */
static sigset_t in_handler;

static void note(int number) {
  (void)number;
  sigprocmask(SIG_BLOCK, NULL, &in_handler);
  count++;
}

static void masks(void) {
  struct timespec second = {1, 0};
  struct epoll_event event;
  struct pollfd nothing = {-1, 0, 0};
  sigset_t others = only(SIGUSR2), now;
  int set = epoll_create1(0);
  count = 0;
  CHECK(signal(SIGUSR1, note) != SIG_ERR);
  block(SIGUSR1);
  kill(getpid(), SIGUSR1);
  CHECK(ppoll(&nothing, 1, &second, &others) == -1 && errno == EINTR);
  CHECK(sigismember(&in_handler, SIGUSR2) == 1 && sigismember(&in_handler, SIGUSR1) == 1);
  kill(getpid(), SIGUSR1);
  CHECK(pselect(0, NULL, NULL, NULL, &second, &others) == -1 && errno == EINTR);
  kill(getpid(), SIGUSR1);
  CHECK(epoll_pwait(set, &event, 1, 1000, &others) == -1 && errno == EINTR);
  /* Nothing to wait for: the signal stays where it is. */
  second = (struct timespec){0, 0};
  CHECK(!ppoll(&nothing, 1, &second, &others));
  CHECK(!sigprocmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGUSR1) == 1 &&
        sigismember(&now, SIGUSR2) == 0);
  printf("masks: %d\n", (int)count);
}

static void by_file(void) {
  struct signalfd_siginfo told[3];
  sigset_t set = only(SIGUSR2);
  sigaddset(&set, SIGCHLD);
  CHECK(!sigprocmask(SIG_BLOCK, &set, NULL));
  int file = signalfd(-1, &set, SFD_NONBLOCK), set_of_files = epoll_create1(0), status;
  struct epoll_event event = {.events = EPOLLIN};
  CHECK(file >= 0 && read(file, told, sizeof told) == -1 && errno == EAGAIN);
  CHECK(!epoll_ctl(set_of_files, EPOLL_CTL_ADD, file, &event));
  pid_t child = fork();
  if (!child) _exit(3);
  CHECK(epoll_wait(set_of_files, &event, 1, -1) == 1);
  kill(getpid(), SIGUSR2);
  CHECK(read(file, told, sizeof told) == 2 * sizeof told[0]);
  bool first = told[0].ssi_signo == SIGCHLD;
  CHECK(told[first].ssi_signo == SIGUSR2 && told[!first].ssi_pid == (unsigned)child);
  CHECK(waitpid(child, &status, 0) == child);
  printf("file: %d\n", told[!first].ssi_status);
}

static void in_parts(void) {
  char first[8] = {0}, second[8] = {0};
  int ends[2];
  struct iovec out[2] = {{"ab", 2}, {"cde", 3}}, in[2] = {{first, 4}, {second, 4}};
  struct msghdr message = {.msg_iov = out, .msg_iovlen = 2};
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && sendmsg(ends[0], &message, 0) == 5);
  CHECK(recv(ends[1], second, 3, MSG_PEEK) == 3 && !strcmp(second, "abc"));
  memset(second, 0, sizeof second);
  message.msg_iov = in;
  CHECK(recvmsg(ends[1], &message, 0) == 5 && recv(ends[1], first, 8, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  printf("%s %s\n", first, second);
}

static void named(void) {
  char name[16];
  CHECK(!prctl(PR_SET_NAME, "a name that is long") && !prctl(PR_GET_NAME, name));
  printf("%s\n", name);
}

int main(void) {
  queued();
  masks();
  by_file();
  in_parts();
  named();
  return 0;
}

/* System calls that store an answer beside code, which they would not give a second time: the end of a child, a message, a signal, an
 * event, what a timer had left. */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "jit.h"

/* A page with code at its beginning, which has been executed, and room for an answer. A new one each time: the first store beside code is
 * the call's. */
static void *beside_code(uint32_t i) {
  byte *page = jit_map(JIT_PAGE);
  jit_constant(page, i);
  memset(page + JIT_PAGE / 2, 0x55, 512);
  CHECK(jit_call_new(page) == i);
  return page + JIT_PAGE / 2;
}

/* A child that has ended. */
static pid_t child(int status) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) _exit(status);
  CHECK(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT) == 0);
  return pid;
}

static void reap(uint32_t i) {
  pid_t pid = child((int)i);
  int *status = beside_code(i);
  CHECK(waitpid(pid, status, 0) == pid && WIFEXITED(*status) && WEXITSTATUS(*status) == (int)i);
  pid = child((int)i);
  siginfo_t *info = beside_code(i);
  CHECK(waitid(P_PID, (id_t)pid, info, WEXITED) == 0 && info->si_pid == pid && info->si_status == (int)i);
}

static void take_message(int queue, uint32_t i) {
  struct {
    long kind;
    uint32_t text;
  } sent = {1, i}, *got;
  CHECK(msgsnd(queue, &sent, sizeof sent.text, 0) == 0);
  got = beside_code(i);
  CHECK(msgrcv(queue, got, sizeof got->text, 0, IPC_NOWAIT) == sizeof got->text && got->text == i);
}

static void take_signal(uint32_t i) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = (int)i}) == 0);
  siginfo_t *info = beside_code(i);
  CHECK(sigwaitinfo(&set, info) == SIGUSR1 && info->si_value.sival_int == (int)i);
}

static void take_event(uint32_t i) {
  int set = epoll_create1(0), counter = eventfd(1, 0);
  struct epoll_event wanted = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = i}, *event;
  CHECK(set >= 0 && counter >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, counter, &wanted) == 0);
  event = beside_code(i);
  CHECK(epoll_wait(set, event, 4, 0) == 1 && event->data.u32 == i);
  CHECK(close(set) == 0 && close(counter) == 0);
}

static void stop_timer(uint32_t i) {
  struct itimerval start = {.it_value.tv_sec = 10000 + i}, stop = {0}, *left;
  CHECK(setitimer(ITIMER_REAL, &start, NULL) == 0);
  left = beside_code(i);
  CHECK(setitimer(ITIMER_REAL, &stop, left) == 0 && left->it_value.tv_sec >= 9000);
}

int main(void) {
  int queue = msgget(IPC_PRIVATE, 0600);
  for (uint32_t i = 1; i <= 3; i++) {
    reap(i);
    if (queue >= 0) take_message(queue, i); /* not in every kernel */
    take_signal(i);
    take_event(i);
    stop_timer(i);
  }
  if (queue >= 0) CHECK(msgctl(queue, IPC_RMID, NULL) == 0);
  printf("all answers were stored\n");
  return 0;
}

/* A server of several processes that accept on one socket and keep a scoreboard in memory they share, as pre-forking servers do. One is killed
 * between two requests, and another takes its place. */
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { WORKERS = 3, REQUESTS = 60 };

static struct {
  volatile int served[WORKERS], state[WORKERS];
  int total;
} * board;

static int listener;

static void serve(int me) {
  for (;;) {
    int client = accept(listener, NULL, NULL), number;
    CHECK(client >= 0);
    board->state[me] = 'W';
    CHECK(read(client, &number, sizeof number) == sizeof number);
    board->served[me]++;
    number += __atomic_add_fetch(&board->total, 1, __ATOMIC_SEQ_CST);
    board->state[me] = '_';
    CHECK(write(client, &number, sizeof number) == sizeof number && close(client) == 0);
  }
}

static pid_t start(int me) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (!pid) serve(me);
  return pid;
}

static int ask(const struct sockaddr_in *address, int number) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(fd >= 0 && !connect(fd, (const struct sockaddr *)address, sizeof *address));
  CHECK(write(fd, &number, sizeof number) == sizeof number);
  CHECK(read(fd, &number, sizeof number) == sizeof number && close(fd) == 0);
  return number;
}

static void stop(pid_t pid) {
  int status;
  CHECK(!kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL);
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  pid_t workers[WORKERS];
  board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(board != MAP_FAILED);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(listener >= 0 && !bind(listener, (struct sockaddr *)&address, sizeof address) &&
        !listen(listener, 8));
  CHECK(!getsockname(listener, (struct sockaddr *)&address, &length));
  for (int i = 0; i < WORKERS; i++) workers[i] = start(i);
  int sum = 0, served = 0;
  for (int i = 0; i < REQUESTS; i++) {
    sum += ask(&address, i);
    if (i % 20 != 10) continue;
    stop(workers[i / 20]);
    workers[i / 20] = start(i / 20);
  }
  for (int i = 0; i < WORKERS; i++) stop(workers[i]);
  for (int i = 0; i < WORKERS; i++) served += board->served[i];
  printf("%d asked, %d served, %d in all, sum %d\n", REQUESTS, served, board->total, sum);
  return 0;
}

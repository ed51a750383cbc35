/* exit ends the process while other threads sleep in system calls of every sort. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "check.h"

static atomic_int running;
static int pipe_fd[2], socket_fd[2];
static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *block(void *arg) {
  char byte;
  sigset_t set;
  struct timespec ages = {1000, 0};
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL); /* exit_group does not depend on what is blocked */
  atomic_fetch_add(&running, 1);
  switch ((long)arg) {
    case 0:
      (void)!read(pipe_fd[0], &byte, 1);
      break;
    case 1:
      sem_wait(&never);
      break;
    case 2:
      nanosleep(&ages, NULL);
      break;
    case 3:
      poll(NULL, 0, -1);
      break;
    case 4:
      pthread_mutex_lock(&mutex);
      break;
    case 5:
      recv(socket_fd[0], &byte, 1, 0);
      break;
    case 6:
      sigsuspend(&set);
      break;
  }
  puts("not reached");
  return NULL;
}

int main(void) {
  CHECK(pipe(pipe_fd) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fd) == 0);
  CHECK(sem_init(&never, 0, 0) == 0 && pthread_mutex_lock(&mutex) == 0);
  for (long i = 0; i < 7; i++) {
    pthread_t t;
    CHECK(pthread_create(&t, NULL, block, (void *)i) == 0);
  }
  while (atomic_load(&running) < 7) sched_yield();
  for (int i = 0; i < 100; i++) sched_yield();
  puts("all blocked");
  exit(4);
}

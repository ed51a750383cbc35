/* pthread_kill runs the handler in the thread it names: computing, in a system call, or itself. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 4, SIGNALS = 10 };

static __thread int index_of_thread;
static atomic_int handled[THREADS], started;
static atomic_bool stop;
static int pipe_fd[2];

static void handler(int signo) {
  CHECK(signo == SIGUSR1);
  atomic_fetch_add(&handled[index_of_thread], 1);
}

static void *worker(void *arg) {
  index_of_thread = (int)(long)arg;
  atomic_fetch_add(&started, 1);
  unsigned long x = 1;
  while (!atomic_load(&stop)) {
    char byte;
    if (index_of_thread % 2 == 0)
      x = x * 31 + 7;
    else
      CHECK(read(pipe_fd[0], &byte, 1) == 1 || errno == EINTR);
  }
  return NULL;
}

int main(void) {
  struct sigaction sa = {.sa_handler = handler}; /* no SA_RESTART: reads end with EINTR */
  CHECK(sigaction(SIGUSR1, &sa, NULL) == 0 && pipe(pipe_fd) == 0);
  pthread_t t[THREADS];
  index_of_thread = 0;
  CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
  printf("self: %d\n", atomic_exchange(&handled[0], 0)); /* delivered before pthread_kill returned */
  for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, worker, (void *)i) == 0);
  while (atomic_load(&started) < THREADS) sched_yield();
  for (int n = 1; n <= SIGNALS; n++)
    for (int i = 0; i < THREADS; i++) {
      CHECK(pthread_kill(t[i], SIGUSR1) == 0);
      while (atomic_load(&handled[i]) < n) sched_yield();
    }
  CHECK(pthread_kill(t[0], 0) == 0);
  atomic_store(&stop, 1);
  CHECK(write(pipe_fd[1], "xxxx", 4) == 4);
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(t[i], NULL) == 0);
    printf("thread %d: %d signals\n", i, atomic_load(&handled[i]));
  }
  return 0;
}

/* Every kind of blocking call is a cancellation point, whether cancelled before or inside it. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

static int pipe_fd[2];
static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;
static atomic_int entered;

static void unlock(void *arg) {
  CHECK(pthread_mutex_unlock(arg) == 0);
}

static void block(long kind) {
  char byte;
  struct timespec ages = {1000, 0};
  sigset_t set;
  sigemptyset(&set);
  if (kind == 0) (void)!read(pipe_fd[0], &byte, 1);
  if (kind == 1) sem_wait(&never);
  if (kind == 2) nanosleep(&ages, NULL);
  if (kind == 3) pause();
  if (kind == 4) poll(&(struct pollfd){.fd = pipe_fd[0], .events = POLLIN}, 1, -1);
  if (kind == 5) select(0, NULL, NULL, NULL, NULL);
  if (kind == 6) pthread_join(main_thread, NULL);
  if (kind == 7) sigwaitinfo(&set, NULL);
  if (kind == 8) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex); /* the mutex is held again when the handler runs */
    for (;;) pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
  }
}

static void *worker(void *kind) {
  atomic_store(&entered, 1);
  block((long)kind);
  return NULL;
}

int main(void) {
  static const char *const name[] = {"read",   "sem_wait", "nanosleep", "pause",    "poll",
                                     "select", "join",     "sigwait",   "cond_wait"};
  main_thread = pthread_self();
  CHECK(pipe(pipe_fd) == 0 && sem_init(&never, 0, 0) == 0);
  for (long kind = 0; kind < 9; kind++) {
    int cancelled = 0;
    for (int round = 0; round < 6; round++) {
      pthread_t t;
      void *result;
      atomic_store(&entered, 0);
      CHECK(pthread_create(&t, NULL, worker, (void *)kind) == 0);
      while (!atomic_load(&entered)) sched_yield();
      for (int i = 0; i < round; i++) sched_yield(); /* vary how far it got */
      CHECK(pthread_cancel(t) == 0);
      CHECK(pthread_join(t, &result) == 0);
      cancelled += result == PTHREAD_CANCELED;
    }
    printf("%s: %d cancelled\n", name[kind], cancelled);
  }
  CHECK(pthread_mutex_trylock(&mutex) == 0);
  return 0;
}

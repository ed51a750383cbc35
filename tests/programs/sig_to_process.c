/* A signal to the process goes to a thread that does not block it; masks are inherited at pthread_create. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int handled_by_open, handled_by_other, stop, ready;
static pthread_t open_thread;
static sem_t seen;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  pthread_equal(pthread_self(), open_thread) ? handled_by_open++ : handled_by_other++;
  sem_post(&seen);
}

static void *closed(void *argument) {
  CHECK(is_blocked(SIGUSR1)); /* inherited */
  ready++;
  while (!stop) usleep(1000);
  return argument;
}
static void *opened(void *argument) {
  sigset_t set;
  CHECK(is_blocked(SIGUSR1));
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  open_thread = pthread_self();
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  ready++;
  while (!stop) continue;
  return argument;
}

int main(void) {
  pthread_t threads[3];
  CHECK(sem_init(&seen, 0, 0) == 0);
  handle(SIGUSR1, on_signal, 0);
  mask_one(SIG_BLOCK, SIGUSR1);
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, i == 1 ? opened : closed, NULL) == 0);
  while (ready < 3) sched_yield();
  for (int i = 1; i <= 30; i++) {
    CHECK(kill(getpid(), SIGUSR1) == 0);
    while (sem_wait(&seen) != 0) CHECK(errno == EINTR);
    CHECK(handled_by_open + handled_by_other == i);
  }
  say("handled by the open thread %d, by others %d\n", handled_by_open, handled_by_other);
  CHECK(pthread_kill(threads[0], SIGUSR1) == 0);
  say("to a thread that blocks it: not pending for us %d\n", is_pending(SIGUSR1));
  stop = 1;
  for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  say("in the end %d %d\n", handled_by_open, handled_by_other);
  CHECK(kill(getpid(), SIGUSR1) == 0); /* nobody takes it now */
  say("pending for the process %d\n", is_pending(SIGUSR1));
  mask_one(SIG_UNBLOCK, SIGUSR1);
  say("taken by main %d\n", handled_by_other);
  return 0;
}

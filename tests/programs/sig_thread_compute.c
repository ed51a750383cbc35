/* Signals to a thread in a loop without system calls: each is handled in that thread, the result stays
 * right. */
#include "sys_helpers.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { SIGNALS = 300 };
static atomic_int handled, wrong_thread, stop;
static pthread_t worker;
static sem_t seen;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  if (!pthread_equal(pthread_self(), worker)) wrong_thread++;
  handled++;
  sem_post(&seen);
}

static unsigned long mix(unsigned long x) {
  for (int i = 0; i < 10000; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
  return x;
}

static void *compute(void *argument) {
  long wrong = 0;
  unsigned long expected = *(unsigned long *)argument;
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) wrong += mix(1) != expected;
  return (void *)wrong;
}

int main(void) {
  volatile unsigned long seed = 1;
  unsigned long expected = mix(seed);
  CHECK(sem_init(&seen, 0, 0) == 0);
  handle(SIGUSR1, on_signal, 0);
  CHECK(pthread_create(&worker, NULL, compute, &expected) == 0);
  for (int i = 1; i <= SIGNALS; i++) {
    CHECK(pthread_kill(worker, SIGUSR1) == 0);
    while (sem_wait(&seen) != 0) CHECK(errno == EINTR);
    CHECK(handled == i);
  }
  stop = 1;
  void *wrong;
  CHECK(pthread_join(worker, &wrong) == 0);
  say("handled %d, in another thread %d, wrong results %ld\n", handled, wrong_thread, (long)wrong);
  return 0;
}

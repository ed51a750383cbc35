/* Two threads queue 50,000 real-time signals each to a third: none lost, each sender's in order. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* The kernel allows each user so many waiting signals in all, and drops what is told along with other programs' when
 * there are more: so not too many of them are ours. */
enum { EACH = 50000, WAITING_MAX = 500 };
static atomic_int handled, disorder, next[2];
static pthread_t target;

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  int sender = info->si_value.sival_int & 1;
  disorder += info->si_value.sival_int >> 1 != next[sender]++ || !pthread_equal(pthread_self(), target);
  handled++;
}

static void *send(void *argument) {
  int sender = (int)(long)argument, error;
  for (int i = 0; i < EACH; i++) {
    while (i - next[sender] >= WAITING_MAX) sched_yield();
    while ((error = pthread_sigqueue(target, SIGRTMIN, (union sigval){.sival_int = i << 1 | sender})) != 0)
      CHECK(error == EAGAIN);
  }
  return NULL;
}

int main(void) {
  handle(SIGRTMIN, on_signal, 0);
  target = pthread_self();
  pthread_t senders[2];
  for (long i = 0; i < 2; i++) CHECK(pthread_create(&senders[i], NULL, send, (void *)i) == 0);
  volatile unsigned long x = 1;
  while (handled < 2 * EACH) x = x * 31 + 7;
  for (int i = 0; i < 2; i++) CHECK(pthread_join(senders[i], NULL) == 0);
  say("handled %d, first %d, second %d, out of order %d\n", handled, next[0], next[1], disorder);
  return 0;
}

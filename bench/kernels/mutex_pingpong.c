/* Mutex ping-pong: two threads hand a token back and forth under a mutex and a condition variable, and
   between turns each takes a second mutex many times for short updates of shared counters. Locked
   instructions, futex calls, sleeping and waking. */
#include <pthread.h>

#include "kernel.h"

enum { UPDATES_PER_TURN = 400, COUNTERS = 64 };

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn;
static long turns_each;

static pthread_mutex_t counters_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counters[COUNTERS];

static void update_counters(uint64_t from) {
  for (uint64_t i = 0; i < UPDATES_PER_TURN; i++) {
    pthread_mutex_lock(&counters_lock);
    counters[(from + i) % COUNTERS] += from ^ i;
    pthread_mutex_unlock(&counters_lock);
  }
}

static void *play(void *argument) {
  int me = *(int *)argument;
  for (long i = 0; i < turns_each; i++) {
    pthread_mutex_lock(&turn_lock);
    while (turn != me) pthread_cond_wait(&turn_changed, &turn_lock);
    pthread_mutex_unlock(&turn_lock);

    update_counters((uint64_t)i * 2 + (uint64_t)me);

    pthread_mutex_lock(&turn_lock);
    turn = !me;
    pthread_cond_signal(&turn_changed);
    pthread_mutex_unlock(&turn_lock);
  }
  return NULL;
}

int main(int argc, char **argv) {
  turns_each = kernel_rounds(argc, argv, 32000);
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  for (int i = 0; i < 2; i++) {
    if (pthread_create(&threads[i], NULL, play, &numbers[i]) != 0) return 1;
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);

  uint64_t sum = 0;
  for (int i = 0; i < COUNTERS; i++) sum = sum * 31 + counters[i];
  return kernel_report("mutex_pingpong", sum);
}

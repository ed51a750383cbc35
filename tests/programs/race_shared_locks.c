/* Processes with two threads each share a scoreboard under mutexes, a condition variable and a spin lock of plain words. */
#include "race_processes.h"

static struct {
  pthread_mutex_t mutex, robust;
  pthread_cond_t changed;
  uint32_t tickets, turn, board[RACE_THREADS];
  volatile uint32_t lock, guarded;
} * shared;

static unsigned number;
static uint32_t seen[2]; /* by the threads of a process */

static void *work(void *which) {
  uint32_t *mine = which;
  for (unsigned i = 0; i < race_rounds; i++) {
    CHECK(!pthread_mutex_lock(&shared->mutex));
    *mine = race_mix(*mine, shared->tickets++);
    shared->board[number]++;
    if (i % 8 == 7) CHECK(!pthread_cond_broadcast(&shared->changed));
    CHECK(!pthread_mutex_unlock(&shared->mutex));
    while (__atomic_exchange_n(&shared->lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
    *mine = race_mix(*mine, shared->guarded++);
    __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
    CHECK(!pthread_mutex_lock(&shared->robust));
    *mine = race_mix(*mine, shared->turn);
    shared->turn = *mine;
    CHECK(!pthread_mutex_unlock(&shared->robust));
  }
  return NULL;
}

static void run(unsigned me) {
  pthread_t other;
  number = me;
  CHECK(!pthread_create(&other, NULL, work, &seen[1]));
  work(&seen[0]);
  CHECK(!pthread_join(other, NULL));
  CHECK(!pthread_mutex_lock(&shared->mutex));
  while (shared->tickets < 2 * race_threads * race_rounds)
    CHECK(!pthread_cond_wait(&shared->changed, &shared->mutex));
  CHECK(!pthread_mutex_unlock(&shared->mutex));
  if (race_threads > 1) race_note(me, seen[0] + 3 * seen[1]);
}

static uint32_t more(void) {
  uint32_t total = shared->guarded;
  for (unsigned i = 0; i < race_threads; i++) total += shared->board[i];
  CHECK(total == 4 * race_threads * race_rounds);
  return race_threads > 1 ? shared->turn : 0;
}

int main(int argc, char **argv) {
  pthread_mutexattr_t attributes;
  pthread_condattr_t condition;
  shared = race_share(sizeof *shared);
  CHECK(!pthread_mutexattr_init(&attributes) && !pthread_condattr_init(&condition));
  CHECK(!pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  CHECK(!pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED));
  CHECK(!pthread_mutex_init(&shared->mutex, &attributes));
  CHECK(!pthread_cond_init(&shared->changed, &condition));
  CHECK(!pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  CHECK(!pthread_mutex_init(&shared->robust, &attributes));
  return race_fork(argc, argv, 80, run, more);
}

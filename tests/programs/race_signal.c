/* Races with signal handlers: threads signal each other, and handlers change what everybody is working on. */
#include <signal.h>

#include "race.h"

static volatile uint32_t cells[8];
static pthread_t ids[RACE_THREADS];
static __thread unsigned self;
static pthread_barrier_t all;

static void on_signal(int sig) {
  cells[self % 8] += (uint32_t)sig;
  race_note(self, cells[(self + 1) % 8]);
}

static void run(unsigned me) {
  self = me;
  ids[me] = pthread_self();
  pthread_barrier_wait(&all);
  for (unsigned i = 0; i < race_rounds; i++) {
    cells[race_mix(i, me) % 8]++;
    if (i % 50 == 0) CHECK(!pthread_kill(ids[(me + 1) % race_threads], SIGUSR1));
    race_note(me, cells[i % 8]);
  }
  pthread_barrier_wait(&all);
}

int main(int argc, char **argv) {
  CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
  CHECK(!pthread_barrier_init(&all, NULL, argc > 1 ? (unsigned)atoi(argv[1]) : 1));
  return race_run(argc, argv, 3000, run, NULL);
}

/* Races on stack variables: every thread hands out the address of a local one, and the others read and write it while its owner
 * uses it relative to its stack pointer. */
#include "race.h"

struct shared {
  volatile uint32_t words[4];
};
static struct shared *volatile locals[RACE_THREADS];
static pthread_barrier_t all;

static void run(unsigned me) {
  struct shared own = {{0}};
  locals[me] = &own;
  pthread_barrier_wait(&all);
  for (unsigned i = 0; i < race_rounds; i++) {
    struct shared *other = locals[race_mix(i, me) % race_threads];
    race_note(me, other->words[i % 4] + own.words[(i + 1) % 4]);
    other->words[(i + 2) % 4] = me + i;
    own.words[(i + 3) % 4]++;
  }
  pthread_barrier_wait(&all); /* nobody leaves while others look */
}

int main(int argc, char **argv) {
  CHECK(!pthread_barrier_init(&all, NULL, argc > 1 ? (unsigned)atoi(argv[1]) : 1));
  return race_run(argc, argv, 5000, run, NULL);
}

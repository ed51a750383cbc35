/* Barriers reused 2,000 times: phases never mix and each has exactly one serial thread. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 4, PHASES = 2000 };

static pthread_barrier_t barrier;
static atomic_int serial;
static unsigned value[2][THREADS];

static void *work(void *arg) {
  int me = (int)(long)arg;
  for (int phase = 0; phase < PHASES; phase++) {
    unsigned *from = value[phase & 1], *to = value[~phase & 1];
    to[me] = from[me] * 3 + from[(me + 1) % THREADS] * 5 + (unsigned)me; /* the last phase, read plainly */
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serial, 1);
  }
  return NULL;
}

int main(void) {
  pthread_t t[THREADS];
  CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
  for (long i = 0; i < THREADS; i++) {
    value[0][i] = (unsigned)i;
    CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
  }
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
  for (int i = 0; i < THREADS; i++) printf("%08x\n", value[0][i]);
  printf("serial %d\n", atomic_load(&serial));
  return 0;
}

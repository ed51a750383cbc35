/* Producers and consumers: half of the threads make items, the other half take them from a bounded queue with a mutex and two
   condition variables and chew on them. With one thread only, both by turns. */
#include "team.h"

enum { ROOM = 64, CHEW = 3000 };

static uint64_t queue[ROOM];
static long head, tail, produced, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static struct team_number sums[TEAM_MAX];

static uint64_t chew(uint64_t item) {
  for (int i = 0; i < CHEW; i++) item = item * 6364136223846793005 + 1442695040888963407, item ^= item >> 29;
  return item;
}

static void produce(void) {
  for (;;) {
    pthread_mutex_lock(&lock);
    long number = produced < items ? produced++ : -1;
    pthread_mutex_unlock(&lock);
    if (number < 0) return;
    uint64_t item = chew((uint64_t)number);
    pthread_mutex_lock(&lock);
    while (tail - head == ROOM) pthread_cond_wait(&emptied, &lock);
    queue[tail++ % ROOM] = item;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
  }
}

static void consume(int me) {
  for (;;) {
    pthread_mutex_lock(&lock);
    while (head == tail && head < items) pthread_cond_wait(&filled, &lock);
    if (head == tail) {
      pthread_cond_broadcast(&filled);
      pthread_mutex_unlock(&lock);
      return;
    }
    uint64_t item = queue[head++ % ROOM];
    if (head == items) pthread_cond_broadcast(&filled);
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    sums[me].value += chew(item);
  }
}

static void work(int me) {
  if (team_threads == 1)
    for (long i = 0; i < items; i++) sums[0].value += chew(chew((uint64_t)i));
  else if (me & 1)
    produce();
  else
    consume(me);
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  items = team_amount(60000) * team_size;
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < team_threads; i++) sum += sums[i].value;
  return kernel_report("pipeline", sum);
}

/* warehouse.c: a middle tier after the fashion of business benchmarks: each thread has a warehouse of its own and allocates much; now and then an order
   goes to another's. */
#include <string.h>

#include "workload.h"

enum { ITEMS = 256 };
struct order {
  struct order *next;
  uint32_t item, amount;
  char text[48];
};
static struct warehouse {
  pthread_mutex_t lock;
  uint64_t stock[ITEMS], orders, total;
  struct order *waiting;
} warehouse[MAX_THREADS];

static void deliver(struct warehouse *w) {
  while (w->waiting) {
    struct order *order = w->waiting;
    w->waiting = order->next;
    w->stock[order->item] += order->amount;
    w->total += strlen(order->text);
    free(order);
  }
}

static void work(long me) {
  uint64_t state = (uint64_t)me * 31337 + 11;
  for (long i = 0; i < 150 * scale; i++) {
    uint64_t random = next_random(&state);
    long to = random % 32 ? me : (long)(random >> 8) % threads;
    struct order *order = malloc(sizeof *order);
    order->item = (uint32_t)(random >> 16) % ITEMS;
    order->amount = (uint32_t)(random >> 30) % 10 + 1;
    snprintf(order->text, sizeof order->text, "order %ld of item %u", i, order->item);
    struct warehouse *w = &warehouse[to];
    pthread_mutex_lock(&w->lock);
    order->next = w->waiting;
    w->waiting = order;
    if (++w->orders % 8 == 0) deliver(w);
    pthread_mutex_unlock(&w->lock);
  }
}

int main(int argc, char **argv) {
  uint64_t orders = 0, stock = 0;
  read_arguments(argc, argv);
  for (int i = 0; i < MAX_THREADS; i++) pthread_mutex_init(&warehouse[i].lock, NULL);
  run_all();
  for (long i = 0; i < threads; i++) {
    deliver(&warehouse[i]);
    orders += warehouse[i].orders;
    for (int j = 0; j < ITEMS; j++) stock += warehouse[i].stock[j];
  }
  printf("%lu %lu\n", orders, stock);
  return 0;
}

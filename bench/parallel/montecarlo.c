/* Prices of options by Monte Carlo: private random walks, and a shared total under a lock once per option. */
#include <math.h>

#include "team.h"

enum { STEPS = 32, PATHS = 400 };

static long options, next_option;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

/* Nearly normal: the sum of twelve even ones, minus six. */
static double normal(uint64_t *random) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += (double)(kernel_random(random) >> 40) / (1 << 24);
  return sum;
}

static double price(long option) {
  uint64_t random = team_mix((uint64_t)option) | 1;
  double strike = 80 + (double)(option % 40), sum = 0;
  for (int path = 0; path < PATHS; path++) {
    double value = 100, average = 0;
    for (int step = 0; step < STEPS; step++) {
      value *= exp(0.0002 + 0.01 * normal(&random));
      average += value;
    }
    average /= STEPS;
    if (average > strike) sum += average - strike;
  }
  return sum / PATHS;
}

static void work(int me) {
  (void)me;
  for (;;) {
    pthread_mutex_lock(&lock);
    long option = next_option++;
    pthread_mutex_unlock(&lock);
    if (option >= options) return;
    uint64_t cents = (uint64_t)(price(option) * 1e6);
    pthread_mutex_lock(&lock);
    total += cents * (uint64_t)(option + 1);
    pthread_mutex_unlock(&lock);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  options = team_amount(2000) * team_size;
  team_run(work);
  return kernel_report("montecarlo", total);
}

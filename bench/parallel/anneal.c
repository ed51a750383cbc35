/* Simulated annealing of a netlist, as in PARSEC's canneal: each thread picks two elements at random, reads the places of all that
   they are connected with, and swaps their places if the wires get shorter, or not much longer while it is hot. Places are
   exchanged by compare-and-swap on pointers, without a lock. What comes out depends on the interleaving: the line differs from
   run to run, and a replay must print that of its recording. */
#include <stdatomic.h>

#include "team.h"

enum { ELEMENTS = 16384, WIRES = 5, GRID = 128, SWAPS = 12000000, COOLINGS = 16 };

struct place {
  int32_t x, y;
};

struct element {
  struct place *_Atomic place;
  uint32_t wires[WIRES];
};

static struct element *elements;
static struct place *places;
static long count, swaps;
static struct team_number accepted[TEAM_MAX];
/* Stands in for the place of an element that is being moved. */
static struct place moving;

static struct place *place_of(uint32_t which) {
  struct place *place;
  do place = atomic_load_explicit(&elements[which].place, memory_order_relaxed);
  while (place == &moving);
  return place;
}

static long length_at(const struct element *element, const struct place *place) {
  long sum = 0;
  for (int i = 0; i < WIRES; i++) {
    const struct place *other = place_of(element->wires[i]);
    sum += labs((long)(place->x - other->x)) + labs((long)(place->y - other->y));
  }
  return sum;
}

/* Takes the first element's place away, puts that into the second, and what was there into the first. */
static void swap(uint32_t a, uint32_t b) {
  if (a > b) {
    uint32_t other = a;
    a = b;
    b = other;
  }
  struct place *first, *second;
  do first = place_of(a);
  while (!atomic_compare_exchange_weak(&elements[a].place, &first, &moving));
  do second = place_of(b);
  while (!atomic_compare_exchange_weak(&elements[b].place, &second, first));
  atomic_store_explicit(&elements[a].place, second, memory_order_release);
}

static void work(int me) {
  uint64_t random = team_mix((uint64_t)me + 1) | 1;
  long from, to;
  team_part(me, swaps, &from, &to);
  for (int cooling = 0; cooling < COOLINGS; cooling++) {
    long allowed = (COOLINGS - cooling) * 2;
    for (long i = 0; i < (to - from) / COOLINGS; i++) {
      uint32_t a = (uint32_t)(kernel_random(&random) % (uint64_t)count);
      uint32_t b = (uint32_t)(kernel_random(&random) % (uint64_t)count);
      if (a == b) continue;
      const struct place *at_a = place_of(a), *at_b = place_of(b);
      long before = length_at(&elements[a], at_a) + length_at(&elements[b], at_b);
      long after = length_at(&elements[a], at_b) + length_at(&elements[b], at_a);
      if (after - before >= (long)(kernel_random(&random) % (uint64_t)allowed)) continue;
      swap(a, b);
      accepted[me].value++;
    }
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  count = ELEMENTS * team_size;
  swaps = team_amount(SWAPS) * team_size;
  elements = team_array((size_t)count, sizeof *elements);
  places = team_array((size_t)count, sizeof *places);
  for (long i = 0; i < count; i++) {
    places[i] = (struct place){(int32_t)(i % GRID), (int32_t)(i / GRID)};
    elements[i].place = &places[i];
    for (int k = 0; k < WIRES; k++)
      elements[i].wires[k] = (uint32_t)(team_mix((uint64_t)(i * WIRES + k)) % (uint64_t)count);
  }
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < team_threads; i++) sum += accepted[i].value;
  for (long i = 0; i < count; i++) sum = sum * 31 + (uint64_t)(elements[i].place - places);
  return kernel_report("anneal", sum);
}

/* Synchronisation by hand, without the kernel: a table under test-and-test-and-set locks, records under sequence locks that all read
   and now and then one writes, and a ring through which every thread passes numbers to the next one. A thread that has looked in
   vain for a while offers its processor to others. */
#include <sched.h>
#include <stdatomic.h>

#include "team.h"

enum {
  ROUNDS = 4000000,
  TABLE = 64,
  RECORDS = 8,
  WORDS = 6,
  WRITE_EVERY = 32,
  RING = 64,
  RING_EVERY = 4,
  LOOKS = 200
};

struct slot {
  _Alignas(TEAM_LINE) atomic_int lock;
  uint64_t value;
};

/* Odd while it is written. */
struct record {
  _Alignas(TEAM_LINE) atomic_uint sequence;
  _Atomic uint64_t words[WORDS];
};

/* From one thread to the next: who puts owns `last`, who takes `first`. */
struct ring {
  _Alignas(TEAM_LINE) atomic_ulong first;
  _Alignas(TEAM_LINE) atomic_ulong last;
  uint64_t numbers[RING];
};

static struct slot table[TABLE];
static struct record records[RECORDS];
static struct ring rings[TEAM_MAX];
static struct team_number sums[TEAM_MAX];
static long rounds;

static void look_again(int *looks) {
  if (++*looks % LOOKS == 0) sched_yield();
}

static void lock(atomic_int *word) {
  int looks = 0;
  for (;;) {
    while (atomic_load_explicit(word, memory_order_relaxed)) look_again(&looks);
    if (!atomic_exchange_explicit(word, 1, memory_order_acquire)) return;
  }
}

static void add_to_table(uint64_t random) {
  struct slot *slot = &table[random % TABLE];
  lock(&slot->lock);
  slot->value += random >> 32;
  atomic_store_explicit(&slot->lock, 0, memory_order_release);
}

/* All words of a record are the same at any time, but for how far they are from the first. */
static void write_record(struct record *record, uint64_t value) {
  unsigned even;
  int looks = 0;
  for (;;) {
    even = atomic_load_explicit(&record->sequence, memory_order_relaxed) & ~1u;
    if (atomic_compare_exchange_weak_explicit(&record->sequence, &even, even + 1, memory_order_acquire,
                                              memory_order_relaxed))
      break;
    look_again(&looks);
  }
  atomic_thread_fence(memory_order_release);
  for (uint64_t i = 0; i < WORDS; i++)
    atomic_store_explicit(&record->words[i], value + i, memory_order_relaxed);
  atomic_store_explicit(&record->sequence, even + 2, memory_order_release);
}

static uint64_t read_record(struct record *record) {
  int looks = 0;
  for (;;) {
    unsigned before = atomic_load_explicit(&record->sequence, memory_order_acquire);
    uint64_t first = atomic_load_explicit(&record->words[0], memory_order_relaxed);
    uint64_t last = atomic_load_explicit(&record->words[WORDS - 1], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (before % 2 == 0 && atomic_load_explicit(&record->sequence, memory_order_relaxed) == before)
      return last - first;
    look_again(&looks);
  }
}

static void pass_on(struct ring *ring, uint64_t number) {
  unsigned long last = atomic_load_explicit(&ring->last, memory_order_relaxed);
  int looks = 0;
  while (last - atomic_load_explicit(&ring->first, memory_order_acquire) == RING) look_again(&looks);
  ring->numbers[last % RING] = number;
  atomic_store_explicit(&ring->last, last + 1, memory_order_release);
}

static uint64_t take(struct ring *ring) {
  unsigned long first = atomic_load_explicit(&ring->first, memory_order_relaxed);
  int looks = 0;
  while (atomic_load_explicit(&ring->last, memory_order_acquire) == first) look_again(&looks);
  uint64_t number = ring->numbers[first % RING];
  atomic_store_explicit(&ring->first, first + 1, memory_order_release);
  return number;
}

static void work(int me) {
  long from, to;
  team_part(me, rounds, &from, &to);
  for (long i = 0; i < to - from; i++) {
    uint64_t random = team_mix((uint64_t)(from + i));
    for (int k = 0; k < 40; k++) random = team_mix(random);
    add_to_table(random);
    struct record *record = &records[random >> 8 & (RECORDS - 1)];
    if (i % WRITE_EVERY == 0) write_record(record, random);
    sums[me].value += read_record(record);
    /* As many by each thread; over all threads the differences add up to nothing. */
    if (i % RING_EVERY || i >= rounds / team_threads) continue;
    pass_on(&rings[me], random);
    sums[me].value += take(&rings[(me + 1) % team_threads]) - random;
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  rounds = team_amount(ROUNDS) * team_size;
  for (int i = 0; i < RECORDS; i++) write_record(&records[i], 0);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < team_threads; i++) sum += sums[i].value;
  for (int i = 0; i < TABLE; i++) sum = sum * 31 + table[i].value;
  return kernel_report("spin", sum);
}

/* A join of two tables by hash: all threads build one table of chains with atomic exchanges, then all probe it. */
#include <stdatomic.h>

#include "team.h"

enum { ROWS = 1 << 18, BUCKETS = 1 << 17, PROBES = 1 << 20 };

struct row {
  uint64_t key, value;
  uint32_t next;
};
static struct row *rows; /* row 0 ends a chain */
static _Atomic uint32_t *buckets;
static long passes;
static struct team_number matched[TEAM_MAX];

static _Atomic uint32_t *bucket_of(uint64_t key) {
  return &buckets[team_mix(key) % (uint64_t)(BUCKETS * team_size)];
}

static void build(long from, long to) {
  for (long i = from + 1; i <= to; i++) {
    uint64_t key = team_mix((uint64_t)i) % (uint64_t)(ROWS * 2 * team_size);
    rows[i].key = key;
    rows[i].value = (uint64_t)i;
    _Atomic uint32_t *bucket = bucket_of(key);
    uint32_t first = atomic_load_explicit(bucket, memory_order_relaxed);
    do rows[i].next = first;
    while (!atomic_compare_exchange_weak(bucket, &first, (uint32_t)i));
  }
}

static uint64_t probe(long from, long to) {
  uint64_t sum = 0;
  for (long i = from; i < to; i++) {
    uint64_t key = team_mix((uint64_t)i * 3) % (uint64_t)(ROWS * 2 * team_size);
    for (uint32_t at = *bucket_of(key); at; at = rows[at].next)
      if (rows[at].key == key) sum += rows[at].value;
  }
  return sum;
}

static void work(int me) {
  long from, to;
  for (long pass = 0; pass < passes; pass++) {
    team_part(me, BUCKETS * team_size, &from, &to);
    memset(&buckets[from], 0, (size_t)(to - from) * sizeof buckets[0]);
    team_wait();
    team_part(me, ROWS * team_size, &from, &to);
    build(from, to);
    team_wait();
    team_part(me, PROBES * team_size, &from, &to);
    matched[me].value += probe(from, to);
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  passes = team_amount(12);
  rows = team_array((size_t)(ROWS * team_size + 1), sizeof *rows);
  buckets = team_array((size_t)(BUCKETS * team_size), sizeof *buckets);
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < team_threads; i++) sum += matched[i].value;
  return kernel_report("hash_join", sum);
}

/* Random hash updates: counts keys in an open-addressing table that does not fit the second-level cache.
   Short dependent loads and stores at unpredictable places, with an unpredictable probe length. */
#include "kernel.h"

enum { TABLE_BITS = 20, TABLE_SIZE = 1 << TABLE_BITS, KEYS = TABLE_SIZE * 5 / 8 };

struct slot {
  uint64_t key; /* 0: free */
  uint64_t count;
};

static struct slot *find(struct slot *table, uint64_t key) {
  uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TABLE_BITS);
  while (table[at].key != key && table[at].key != 0) at = (at + 1) & (TABLE_SIZE - 1);
  return &table[at];
}

int main(int argc, char **argv) {
  long updates = kernel_rounds(argc, argv, 70000000);
  struct slot *table = calloc(TABLE_SIZE, sizeof *table);
  if (!table) return 1;

  uint64_t random = 88172645463325252u;
  for (long i = 0; i < updates; i++) {
    uint64_t key = 1 + kernel_random(&random) % KEYS;
    struct slot *slot = find(table, key);
    slot->key = key;
    slot->count += (uint64_t)i;
  }

  uint64_t sum = 0;
  for (long i = 0; i < TABLE_SIZE; i++) sum = sum * 31 + (table[i].key ^ table[i].count);
  free(table);
  return kernel_report("hash_updates", sum);
}

/* store.c: a key-value store: a hash table with a lock for each stripe of buckets; mostly reads, some writes and removals, counters for all. */
#include <stdatomic.h>
#include <string.h>

#include "workload.h"

enum { BUCKETS = 512, STRIPES = 32, KEYS = 2048 };
static struct item {
  struct item *next;
  uint32_t key, version;
  char value[40];
} * bucket[BUCKETS];
static pthread_mutex_t stripe[STRIPES];
static _Atomic uint64_t hits, misses, sets;

static struct item **find(uint32_t key) {
  struct item **link = &bucket[key % BUCKETS];
  while (*link && (*link)->key != key) link = &(*link)->next;
  return link;
}

static void set(uint32_t key, struct item **spare) {
  struct item **link = find(key), *item = *link;
  if (!item) {
    item = *spare ? *spare : malloc(sizeof *item);
    *spare = NULL;
    *item = (struct item){.key = key};
    *link = item;
  }
  item->version++;
  memset(item->value, (int)(key % 26 + 'a'), sizeof item->value);
  atomic_fetch_add(&sets, 1);
}

static void get(uint32_t key, char out[40]) {
  struct item *item = *find(key);
  atomic_fetch_add(item ? &hits : &misses, 1);
  if (item) memcpy(out, item->value, 40);
}

static void drop(uint32_t key, struct item **spare) {
  struct item **link = find(key), *item = *link;
  if (!item) return;
  *link = item->next;
  free(*spare);
  *spare = item;
}

static void work(long me) {
  uint64_t state = (uint64_t)me * 1000003 + 17;
  struct item *spare = NULL;
  char value[40];
  for (long i = 0; i < 400 * scale; i++) {
    uint64_t random = next_random(&state);
    uint32_t key = (uint32_t)(random % (random >> 32 & 1 ? KEYS : KEYS / 16)), what = random >> 40 & 15;
    pthread_mutex_t *lock = &stripe[key % STRIPES];
    pthread_mutex_lock(lock);
    if (what == 0)
      drop(key, &spare);
    else if (what < 4)
      set(key, &spare);
    else
      get(key, value);
    pthread_mutex_unlock(lock);
  }
}

int main(int argc, char **argv) {
  read_arguments(argc, argv);
  for (int i = 0; i < STRIPES; i++) pthread_mutex_init(&stripe[i], NULL);
  run_all();
  printf("%lu %s\n", sets, hits + misses > 0 ? "good" : "bad");
  return 0;
}

/* states.c: see states.h. States are told apart by 64-bit fingerprints: of ten million, two different ones are taken for the
 * same with a probability of one in a hundred thousand or so. */
#include "states.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

static uint64_t *known; /* fingerprints; 0: free. Their number is a power of two */
static size_t known_size, known_count;
static unsigned char *pending;
static size_t pending_count, pending_room;

static size_t state_size(void) {
  return world.keeps_history ? sizeof world : offsetof(struct world, history);
}

/* Four lanes, so that one multiplication need not wait for another. */
static void hash_bytes(uint64_t lane[4], const void *from, size_t count) {
  const unsigned char *bytes = from;
  for (size_t i = 0; i + 32 <= count; i += 32)
    for (unsigned k = 0; k < 4; k++) {
      uint64_t word;
      memcpy(&word, bytes + i + 8 * k, 8);
      lane[k] = (lane[k] ^ word) * 0x9e3779b97f4a7c15;
      lane[k] ^= lane[k] >> 29;
    }
  for (size_t i = count / 32 * 32; i < count; i++) lane[0] = (lane[0] ^ bytes[i]) * 0x9e3779b97f4a7c15;
}

static uint64_t fingerprint(void) {
  uint64_t lane[4] = {1, 2, 3, 4}, hash = 0;
  hash_bytes(lane, &world, offsetof(struct world, slot));
  hash_bytes(lane, world.slot, world.threads * sizeof *world.slot);
  hash_bytes(lane, world.thread, world.threads * sizeof *world.thread);
  if (world.keeps_history) hash_bytes(lane, &world.history, sizeof world.history);
  for (unsigned k = 0; k < 4; k++) hash = (hash ^ lane[k]) * 0xd6e8feb86659fd93, hash ^= hash >> 32;
  return hash ? hash : 1;
}

static void grow_known(void) {
  uint64_t *old = known;
  size_t old_size = known_size;
  known_size = known_size ? known_size * 2 : 1 << 12;
  size_t bytes = known_size * sizeof *known;
  known = aligned_alloc(HUGE_PAGE, bytes < HUGE_PAGE ? HUGE_PAGE : bytes);
  if (!known) abort();
  madvise(known, bytes, MADV_HUGEPAGE); /* looked up at random */
  memset(known, 0, bytes);
  for (size_t i = 0; i < old_size; i++)
    if (old[i]) {
      size_t at = old[i] & (known_size - 1);
      while (known[at]) at = (at + 1) & (known_size - 1);
      known[at] = old[i];
    }
  free(old);
}

void states_clear(void) {
  known_count = pending_count = known_size = 0;
  free(known);
  known = NULL;
}

static bool is_new(uint64_t print) {
  if (2 * known_count >= known_size) grow_known();
  size_t at = print & (known_size - 1);
  for (; known[at]; at = (at + 1) & (known_size - 1))
    if (known[at] == print) return false;
  known[at] = print;
  known_count++;
  return true;
}

void states_add(void) {
  if (world_wrong) return;
  world_canonical();
  if (!is_new(fingerprint())) return;
  size_t size = state_size();
  if ((pending_count + 1) * size > pending_room) {
    pending_room = 2 * (pending_count + 1) * size;
    pending = realloc(pending, pending_room);
    if (!pending) abort();
  }
  memcpy(pending + pending_count++ * size, &world, size);
}

bool states_take(struct world *state) {
  if (!pending_count) return false;
  memcpy(state, pending + --pending_count * state_size(), state_size());
  return true;
}

void states_go_back(const struct world *state) {
  memcpy(&world, state, state_size());
}

/* Steps that make no difference to others follow at once; not where somebody does without the lock. */
bool states_step(unsigned t, const struct world *state) {
  do world_step(t);
  while (world_is_private(t) && !world_wrong && !ORDER_WRONG(WRONG_UNLOCKED_EDGE));
  world_canonical();
  if (!memcmp(&world, state, state_size())) return false;
  states_add();
  return true;
}

size_t states_count(void) {
  return known_count;
}

/* chunk_log.c: see chunk_log.h. */
#include "sim/recorders/chunk_log.h"

#include <stdlib.h>

#include "sim/machine/check.h"

struct entry {
  uint16_t slot;
  uint8_t kind;
  bool begun;    /* replay: a part of it has been committed */
  uint64_t left; /* instructions or lines that are not committed yet */
};

struct chunk_log {
  uint64_t size; /* of a regular chunk */
  bool written;  /* a part of it, with the size */
  uint32_t slots;
  struct entry *entries;
  size_t count, room, head;
  size_t next[ORDER_SLOTS]; /* replay: the slot's first entry of a chunk that may not be committed */
};

struct chunk_log *chunk_log_new(uint64_t size) {
  struct chunk_log *log = calloc(1, sizeof *log);
  CHECK(log, "out of memory");
  log->size = size;
  return log;
}

void chunk_log_free(struct chunk_log *log) {
  if (log) free(log->entries);
  free(log);
}

void chunk_log_thread(struct chunk_log *log, uint32_t slot) {
  CHECK(slot < ORDER_SLOTS, "thread %u: there are slots for %d", slot, ORDER_SLOTS);
  if (slot >= log->slots) log->slots = slot + 1;
}

void chunk_log_add(struct chunk_log *log, uint32_t slot, enum chunk_kind kind, uint64_t size) {
  struct entry *last = log->count ? &log->entries[log->count - 1] : NULL;
  if (kind == CHUNK_KERNEL && last && last->kind == CHUNK_KERNEL && last->slot == slot) {
    last->left += size;
    return;
  }
  if (log->count == log->room) {
    log->room = log->room ? log->room * 2 : 256;
    log->entries = realloc(log->entries, log->room * sizeof *log->entries);
    CHECK(log->entries, "out of memory");
  }
  log->entries[log->count++] = (struct entry){(uint16_t)slot, (uint8_t)kind, false, size};
}

/* -- On disk ------------------------------------------------------------------------------------------------------------- */

static void put(struct order_log *to, uint64_t value) {
  uint8_t bytes[VARINT_LARGEST];
  order_log_append(to, bytes, varint_put(bytes, value));
}

void chunk_log_write(struct chunk_log *log, struct order_log *to) {
  if (!log->written) put(to, log->size);
  log->written = true;
  for (size_t n = 0; n < log->count; n++) {
    const struct entry *entry = &log->entries[n];
    put(to, (uint64_t)entry->slot << 2 | entry->kind);
    if (entry->kind != CHUNK_REGULAR) put(to, entry->left);
  }
  log->count = 0;
}

static bool get(const struct order_log *from, size_t *used, uint64_t *value) {
  int n = varint_get(value, from->bytes + *used, from->count - *used);
  if (n <= 0) return false;
  *used += (size_t)n;
  return true;
}

struct chunk_log *chunk_log_read(const struct order_log *from) {
  size_t used = 0;
  uint64_t what, size;
  if (!from->count || !get(from, &used, &size) || !size) return NULL;
  struct chunk_log *log = chunk_log_new(size);
  while (used < from->count) {
    bool good = get(from, &used, &what) && what >> 2 < ORDER_SLOTS && (what & 3) <= CHUNK_KERNEL;
    size = log->size;
    if (good && (what & 3) != CHUNK_REGULAR) good = get(from, &used, &size) && size;
    if (!good) {
      chunk_log_free(log);
      return NULL;
    }
    chunk_log_add(log, (uint32_t)(what >> 2), what & 3, size);
  }
  return log;
}

/* -- Replay ----------------------------------------------------------------------------------------------------------------- */

uint64_t chunk_log_next(struct chunk_log *log, uint32_t slot) {
  size_t *at = &log->next[slot];
  if (*at < log->head) *at = log->head;
  while (*at < log->count && (log->entries[*at].slot != slot || log->entries[*at].kind == CHUNK_KERNEL))
    ++*at;
  return *at < log->count ? log->entries[*at].left : 0;
}

bool chunk_log_turn(const struct chunk_log *log, uint32_t slot, bool kernel) {
  if (log->head == log->count) return false;
  const struct entry *entry = &log->entries[log->head];
  return entry->slot == slot && (entry->kind == CHUNK_KERNEL) == kernel;
}

bool chunk_log_advance(struct chunk_log *log, uint32_t slot, uint64_t size, bool over) {
  struct entry *entry = log->head < log->count ? &log->entries[log->head] : NULL;
  if (!entry || entry->slot != slot || size > entry->left) return false;
  entry->left -= size;
  entry->begun = true;
  bool fits = !over || entry->kind == CHUNK_REGULAR || !entry->left;
  if (over || !entry->left) log->head++;
  return fits;
}

bool chunk_log_begun(const struct chunk_log *log, uint32_t slot) {
  const struct entry *entry = log->head < log->count ? &log->entries[log->head] : NULL;
  return entry && entry->slot == slot && entry->kind != CHUNK_KERNEL && entry->begun;
}

uint16_t chunk_log_head(const struct chunk_log *log) {
  return log->head < log->count ? log->entries[log->head].slot : ORDER_NOBODY;
}

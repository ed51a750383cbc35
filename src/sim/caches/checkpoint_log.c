/* checkpoint_log.c: see checkpoint_log.h. */
#include "sim/caches/checkpoint_log.h"

#include <stdlib.h>
#include <zstd.h>

#include "sim/machine/check.h"

enum { LEVEL = 1 }; /* of the compression */

struct entries {
  uint8_t *bytes;
  size_t count, room;
};

struct interval {
  uint8_t *cache; /* compressed */
  size_t cache_bytes, cache_raw;
};

struct checkpoint_log {
  struct machine *machine;
  uint64_t cycles, next;
  uint32_t number; /* of the present interval, from 1 */
  uint32_t *updated,
      *kept; /* of each block: the last interval in which it was logged, in caches and in memory */
  struct entries cache, memory;
  struct interval old[CHECKPOINTS_KEPT]; /* by number */
  struct checkpoint_counters counters;
  bool (*ask)(struct machine *machine, uint32_t number);
};

struct checkpoint_log *checkpoint_log_new(struct machine *machine, uint64_t cycles) {
  struct checkpoint_log *log = calloc(1, sizeof *log);
  CHECK(log, "out of memory");
  log->machine = machine;
  log->cycles = log->next = cycles;
  log->number = 1;
  log->updated = calloc(machine->ram_bytes >> LINE_SHIFT, sizeof *log->updated);
  log->kept = calloc(machine->ram_bytes >> LINE_SHIFT, sizeof *log->kept);
  CHECK(log->updated && log->kept, "out of memory");
  return log;
}

void checkpoint_log_free(struct checkpoint_log *log) {
  if (!log) return;
  for (int n = 0; n < CHECKPOINTS_KEPT; n++) free(log->old[n].cache);
  free(log->cache.bytes);
  free(log->memory.bytes);
  free(log->updated);
  free(log->kept);
  free(log);
}

static void append(struct entries *entries, uint64_t block, const uint8_t *bytes) {
  if (entries->room - entries->count < CHECKPOINT_ENTRY) {
    entries->room = entries->room ? entries->room * 2 : UINT64_C(64) * CHECKPOINT_ENTRY;
    entries->bytes = realloc(entries->bytes, entries->room);
    CHECK(entries->bytes, "out of memory");
  }
  memcpy(entries->bytes + entries->count, &block, 8);
  memcpy(entries->bytes + entries->count + 8, bytes, LINE_BYTES);
  entries->count += CHECKPOINT_ENTRY;
}

bool checkpoint_log_update(struct checkpoint_log *log, uint64_t block, const uint8_t *bytes) {
  if (log->updated[block >> LINE_SHIFT] == log->number) return false;
  log->updated[block >> LINE_SHIFT] = log->number;
  append(&log->cache, block, bytes);
  log->counters.cache_entries++;
  return true;
}

bool checkpoint_log_write_back(struct checkpoint_log *log, uint64_t block) {
  if (log->kept[block >> LINE_SHIFT] == log->number) return false;
  log->kept[block >> LINE_SHIFT] = log->number;
  append(&log->memory, block, machine_ram(log->machine, block));
  log->counters.memory_entries++;
  return true;
}

static uint8_t *compress(const struct entries *entries, size_t *count) {
  size_t room = ZSTD_compressBound(entries->count);
  uint8_t *bytes = malloc(room ? room : 1);
  CHECK(bytes, "out of memory");
  *count = ZSTD_compress(bytes, room, entries->bytes, entries->count, LEVEL);
  CHECK(!ZSTD_isError(*count), "%s", ZSTD_getErrorName(*count));
  return bytes;
}

void checkpoint_log_look(struct checkpoint_log *log, uint64_t cycle) {
  if (cycle < log->next || (log->ask && !log->ask(log->machine, log->number + 1))) return;
  struct interval *interval = &log->old[log->number % CHECKPOINTS_KEPT];
  size_t count;
  free(interval->cache);
  interval->cache = compress(&log->cache, &interval->cache_bytes);
  interval->cache_raw = log->cache.count;
  free(compress(&log->memory, &count));
  log->counters.cache_compressed += interval->cache_bytes;
  log->counters.memory_compressed += count;
  log->counters.intervals++;
  log->cache.count = log->memory.count = 0;
  log->number++;
  uint64_t barrier = log->machine->config.barrier_cycles;
  if (barrier > log->cycles / 100) barrier = log->cycles / 100; /* intervals shorter than the paper's */
  for (uint32_t n = 0; n < log->machine->port_count; n++) {
    port_drop_all(log->machine->ports[n], PORT_STORES);
    log->machine->ports[n]->cycle += barrier;
  }
  log->next = cycle + barrier + log->cycles;
}

struct checkpoint_counters checkpoint_log_count(const struct checkpoint_log *log) {
  struct checkpoint_counters all = log->counters;
  size_t count;
  free(compress(&log->cache, &count));
  all.cache_compressed += count;
  free(compress(&log->memory, &count));
  all.memory_compressed += count;
  return all;
}

/* -- Going back ------------------------------------------------------------------------------------------------------------ */

void checkpoint_log_ask(struct checkpoint_log *log, bool (*ask)(struct machine *machine, uint32_t number)) {
  log->ask = ask;
}

uint32_t checkpoint_log_first(const struct checkpoint_log *log) {
  return log->number > CHECKPOINTS_KEPT ? log->number - CHECKPOINTS_KEPT : 1;
}

typedef void block_function(void *context, uint64_t block, const uint8_t *bytes);

static void each_entry(const uint8_t *bytes, size_t count, block_function *call, void *context) {
  for (size_t at = count; at >= CHECKPOINT_ENTRY; at -= CHECKPOINT_ENTRY) {
    uint64_t block;
    memcpy(&block, bytes + at - CHECKPOINT_ENTRY, 8);
    call(context, block, bytes + at - LINE_BYTES);
  }
}

void checkpoint_log_each(const struct checkpoint_log *log, uint32_t first, block_function *call,
                         void *context) {
  each_entry(log->cache.bytes, log->cache.count, call, context);
  for (uint32_t number = log->number - 1; number >= first && number; number--) {
    const struct interval *interval = &log->old[number % CHECKPOINTS_KEPT];
    uint8_t *bytes = malloc(interval->cache_raw ? interval->cache_raw : 1);
    CHECK(bytes, "out of memory");
    size_t count = ZSTD_decompress(bytes, interval->cache_raw, interval->cache, interval->cache_bytes);
    CHECK(!ZSTD_isError(count), "%s", ZSTD_getErrorName(count));
    each_entry(bytes, count, call, context);
    free(bytes);
  }
}

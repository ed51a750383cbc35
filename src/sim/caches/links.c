/* links.c: see links.h. */
#include "sim/caches/links.h"

#include "sim/machine/config.h"

/* Takes the lowest of the free bits, at most so many. */
static uint64_t take_bits(uint64_t free, uint32_t count) {
  uint64_t taken = 0;
  if ((uint32_t)__builtin_popcountll(free) <= count) return free;
  for (; count; count--, free &= free - 1) taken |= free & -free;
  return taken;
}

uint64_t link_book(struct link *link, uint64_t cycle, uint32_t count, uint64_t *last) {
  uint64_t first = UINT64_MAX;
  *last = cycle;
  for (uint64_t from = ~0ull << cycle % 64; count; cycle = (cycle | 63) + 1, from = ~0ull) {
    uint64_t tag = cycle / 64;
    uint64_t own = 0, *busy = &link->word[tag % LINK_WORDS].busy;
    if (link->word[tag % LINK_WORDS].tag < tag) {
      link->word[tag % LINK_WORDS].tag = tag;
      *busy = 0;
    } else if (link->word[tag % LINK_WORDS].tag > tag) {
      busy = &own; /* forgotten: too long ago */
    }
    uint64_t taken = take_bits(~*busy & from, count);
    if (!taken) continue;
    *busy |= taken;
    count -= (uint32_t)__builtin_popcountll(taken);
    if (first == UINT64_MAX) first = tag * 64 + (uint64_t)__builtin_ctzll(taken);
    *last = tag * 64 + 63 - (uint64_t)__builtin_clzll(taken);
  }
  return first;
}

uint64_t log_buffer_add(struct log_buffer *buffer, const struct sim_config *config, unsigned kind,
                        uint64_t cycle, uint64_t bytes) {
  const struct log_buffer_size *size = &config->log_buffer[kind];
  buffer->bytes += bytes;
  buffer->entries++;
  if (!size->bytes) return cycle;
  if (cycle > buffer->last) {
    uint64_t elapsed = cycle - buffer->last, gone = elapsed * size->rate;
    buffer->fill -= gone < buffer->fill ? gone : buffer->fill;
    buffer->last = cycle;
  }
  buffer->fill += bytes * config->clock_mhz;
  uint64_t room = size->bytes * config->clock_mhz;
  if (buffer->fill / config->clock_mhz > buffer->most) buffer->most = buffer->fill / config->clock_mhz;
  if (buffer->fill <= room) return cycle;
  uint64_t wait = (buffer->fill - room + size->rate - 1) / size->rate;
  buffer->stalls += wait;
  return cycle + wait;
}

/* told.c: records of accesses to open memory. See told.h.
 *
 *     kind | (count - 1) << 4   varint(zigzag(address - last address))   varint(position - last position)
 *     count bytes read, except of a write   count bytes written, of a write or an exchange */
#include "order/told.h"

#include <stdbool.h>

static bool has_read(uint8_t kind) {
  return kind != TOLD_WRITE && kind != TOLD_EPOCH && kind != TOLD_TICKS;
}

static bool has_written(uint8_t kind) {
  return kind == TOLD_WRITE || kind == TOLD_EXCHANGE;
}

static size_t put_bytes(uint8_t *to, uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; i++) to[i] = (uint8_t)(value >> 8 * i);
  return count;
}

static uint64_t get_bytes(const uint8_t *from, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; i++) value |= (uint64_t)from[i] << 8 * i;
  return value;
}

size_t told_put(struct told_codec *codec, const struct told *told, uint8_t *to) {
  size_t n = 0;
  to[n++] = (uint8_t)(told->kind | (told->count - 1) << 4);
  n += varint_put(to + n, zigzag((int64_t)(told->address - codec->address)));
  n += varint_put(to + n, told->position - codec->position);
  if (has_read(told->kind)) n += put_bytes(to + n, told->read, told->count);
  if (has_written(told->kind)) n += put_bytes(to + n, told->written, told->count);
  *codec = (struct told_codec){told->address, told->position};
  return n;
}

int told_get(struct told_codec *codec, struct told *told, const uint8_t *from, size_t bytes) {
  uint64_t difference, moved;
  size_t n = 1;
  if (!bytes) return -1;
  *told = (struct told){.kind = from[0] & 0xf, .count = (uint8_t)((from[0] >> 4) + 1)};
  if (!told->kind || told->kind >= TOLD_KINDS || told->count > TOLD_WORD) return -1;
  int used = varint_get(&difference, from + n, bytes - n);
  if (used <= 0) return -1;
  n += (size_t)used;
  used = varint_get(&moved, from + n, bytes - n);
  if (used <= 0) return -1;
  n += (size_t)used;
  told->address = codec->address + (uint64_t)unzigzag(difference);
  told->position = codec->position + moved;
  size_t needed = (size_t)told->count * (has_read(told->kind) + has_written(told->kind));
  if (needed > bytes - n) return -1;
  bool placed = told->kind != TOLD_EPOCH && told->kind != TOLD_TICKS;
  if (placed && told->address % TOLD_WORD + told->count > TOLD_WORD) return -1;
  if (has_read(told->kind)) {
    told->read = get_bytes(from + n, told->count);
    n += told->count;
  }
  if (has_written(told->kind)) {
    told->written = get_bytes(from + n, told->count);
    n += told->count;
  }
  *codec = (struct told_codec){told->address, told->position};
  return (int)n;
}

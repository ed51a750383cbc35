/* board_log.c: see board_log.h. */
#include "sim/board/board_log.h"

#include <stdlib.h>
#include <string.h>

#include "order/varint.h"
#include "sim/machine/check.h"

void board_log_append(struct board_log *log, const uint8_t *bytes, size_t count) {
  if (count > log->room - log->count) {
    log->room = (log->count + count) * 2;
    log->bytes = realloc(log->bytes, log->room);
    CHECK(log->bytes, "out of memory");
  }
  memcpy(log->bytes + log->count, bytes, count);
  log->count += count;
}

void board_log_put(struct board_log *log, enum board_event kind, uint64_t position, uint64_t value) {
  uint8_t event[1 + 2 * VARINT_LARGEST] = {(uint8_t)kind};
  size_t n = 1 + varint_put(event + 1, position - log->position);
  n += varint_put(event + n, value);
  board_log_append(log, event, n);
  log->position = position;
}

void board_log_next(struct board_log *log) {
  const uint8_t *bytes = log->bytes + log->used;
  size_t left = log->count - log->used;
  uint64_t moved, value;
  log->next = BOARD_NOTHING;
  if (left < 3 || bytes[0] > BOARD_END) return;
  int n = varint_get(&moved, bytes + 1, left - 1);
  if (n <= 0) return;
  int m = varint_get(&value, bytes + 1 + n, left - 1 - (size_t)n);
  if (m <= 0) return;
  log->next = bytes[0];
  log->position += moved;
  log->value = value;
  log->used += 1 + (size_t)n + (size_t)m;
}

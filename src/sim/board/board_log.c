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

void board_log_put_data(struct board_log *log, uint64_t position, uint64_t at, const void *bytes,
                        uint8_t count) {
  board_log_put(log, BOARD_DMA, position, at);
  board_log_append(log, &count, 1);
  board_log_append(log, bytes, count);
}

/* The number of bytes of the event's data and what precedes them; 0: they are not there. */
static size_t take_data(struct board_log *log, const uint8_t *bytes, size_t left) {
  if (left < 1 || !bytes[0] || left - 1 < bytes[0]) return 0;
  log->data = bytes + 1;
  log->data_bytes = bytes[0];
  return 1 + (size_t)bytes[0];
}

void board_log_next(struct board_log *log) {
  const uint8_t *bytes = log->bytes + log->used;
  size_t left = log->count - log->used;
  uint64_t moved, value;
  log->next = BOARD_NOTHING;
  if (left < 3 || bytes[0] > BOARD_DMA) return;
  int n = varint_get(&moved, bytes + 1, left - 1);
  if (n <= 0) return;
  int m = varint_get(&value, bytes + 1 + n, left - 1 - (size_t)n);
  if (m <= 0) return;
  size_t count = 1 + (size_t)n + (size_t)m;
  size_t data = bytes[0] == BOARD_DMA ? take_data(log, bytes + count, left - count) : 0;
  if (bytes[0] == BOARD_DMA && !data) return;
  log->next = bytes[0];
  log->position += moved;
  log->value = value;
  log->used += count + data;
}

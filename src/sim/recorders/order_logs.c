/* order_logs.c: the order logs of a sphere, in memory. */
#include <stdlib.h>
#include <string.h>

#include "order/varint.h"
#include "sim/machine/check.h"
#include "sim/recorders/chunks.h"
#include "sim/recorders/watch.h"

void order_log_append(struct order_log *log, const uint8_t *bytes, size_t count) {
  if (!count) return;
  if (count > log->room - log->count) {
    log->room = (log->count + count) * 2;
    log->bytes = realloc(log->bytes, log->room);
    CHECK(log->bytes, "out of memory");
  }
  memcpy(log->bytes + log->count, bytes, count);
  log->count += count;
}

void order_logs_free(struct order_logs *logs) {
  if (!logs) return;
  for (int n = 0; n < ORDER_SLOTS; n++) free(logs->log[n].bytes);
  free(logs);
}

/* -- Segments --------------------------------------------------------------------------------------------------------- */

static void append_counted(struct order_log *to, struct order_log *part) {
  uint8_t count[VARINT_LARGEST];
  order_log_append(to, count, varint_put(count, part->count));
  order_log_append(to, part->bytes, part->count);
  part->count = 0;
}

void order_log_segment(struct order_log *to, struct order_log *values, struct order_log *scheme) {
  if (!values->count && !scheme->count) return;
  append_counted(to, values);
  append_counted(to, scheme);
}

static bool take_counted(const struct order_log *from, size_t *at, struct order_log *to) {
  uint64_t count;
  int n = varint_get(&count, from->bytes + *at, from->count - *at);
  if (n <= 0 || count > from->count - *at - (size_t)n) return false;
  order_log_append(to, from->bytes + *at + n, count);
  *at += (size_t)n + count;
  return true;
}

static bool join(struct order_log *log, bool has_values) {
  struct order_log values = {0}, scheme = {0}, whole = {0};
  bool good = true;
  for (size_t at = 0; good && at < log->count;)
    good = take_counted(log, &at, &values) && take_counted(log, &at, &scheme);
  if (has_values && log->count) append_counted(&whole, &values);
  order_log_append(&whole, scheme.bytes, scheme.count);
  free(values.bytes);
  free(scheme.bytes);
  free(log->bytes);
  *log = whole;
  return good;
}

bool order_logs_join(struct order_logs *logs) {
  for (uint32_t slot = 0; slot < logs->slots; slot++)
    if (!join(&logs->log[slot], logs->scheme != &order_chunks)) return false;
  return true;
}

bool order_logs_have_values(const struct order_logs *logs) {
  uint64_t count;
  for (uint32_t slot = 0; logs->scheme != &order_chunks && slot < logs->slots; slot++)
    if (varint_get(&count, logs->log[slot].bytes, logs->log[slot].count) > 0 && count) return true;
  return false;
}

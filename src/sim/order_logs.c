/* order_logs.c: the order logs of a sphere, in memory. */
#include <stdlib.h>
#include <string.h>

#include "sim/check.h"
#include "sim/watch.h"

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

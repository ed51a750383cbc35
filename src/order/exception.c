/* exception.c: exceptions of a solved order. See exception.h.
 *
 *     0   count, and 0x10 if the instruction writes the bytes   varint(address)   the bytes */
#include "order/exception.h"

enum { WRITES = 0x10, MOST = 8 };

size_t exception_put(const struct order_exception *exception, uint8_t *to) {
  size_t n = 0;
  to[n++] = 0;
  to[n++] = (uint8_t)(exception->count | (exception->writes ? WRITES : 0));
  n += varint_put(to + n, exception->address);
  for (unsigned i = 0; i < exception->count; i++) to[n++] = (uint8_t)(exception->value >> 8 * i);
  return n;
}

int exception_get(struct order_exception *exception, const uint8_t *from, size_t bytes) {
  if (bytes < 2) return 0;
  *exception = (struct order_exception){.count = (uint8_t)(from[1] & ~WRITES), .writes = from[1] & WRITES};
  if (from[0] || !exception->count || exception->count > MOST) return -1;
  int used = varint_get(&exception->address, from + 2, bytes - 2);
  if (used <= 0) return used;
  size_t n = 2 + (size_t)used;
  if (bytes - n < exception->count) return 0;
  for (unsigned i = 0; i < exception->count; i++) exception->value |= (uint64_t)from[n++] << 8 * i;
  return (int)n;
}

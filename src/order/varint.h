/* varint.h: numbers of variable length for the order logs: seven bits a byte, least significant first, the top bit
 * says that more follow. One encoding per number: a reader refuses padding. */
#ifndef REPRISE_ORDER_VARINT_H
#define REPRISE_ORDER_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { VARINT_LARGEST = 10 };

static inline size_t varint_put(uint8_t *to, uint64_t value) {
  size_t n = 0;
  for (; value > 0x7f; value >>= 7) to[n++] = (uint8_t)(value | 0x80);
  to[n++] = (uint8_t)value;
  return n;
}

/* Bytes used, 0 when there are too few, -1 when these are none. */
static inline int varint_get(uint64_t *value, const uint8_t *from, size_t bytes) {
  *value = 0;
  for (unsigned n = 0; n < VARINT_LARGEST; n++) {
    if (n >= bytes) return 0;
    if (n == VARINT_LARGEST - 1 && from[n] > 1) return -1;
    *value |= (uint64_t)(from[n] & 0x7f) << 7 * n;
    if (!(from[n] & 0x80)) return n && !from[n] ? -1 : (int)n + 1;
  }
  return -1;
}

/* Small numbers of either sign as small numbers: 0 -1 1 -2 2 … */
static inline uint64_t zigzag(int64_t value) {
  return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}
static inline int64_t unzigzag(uint64_t value) {
  return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

#endif

/* exception.h: instructions of a solved order (docs/format.md) that read something else than memory has: the processor made them out of turn, or in parts.
 *
 * An exception stands in the order log of its thread, in front of the step that begins with the instruction. Replay puts the bytes into memory, which no other
 * thread uses then, has the instruction made, and puts back what was there; unless the instruction has written these bytes itself. */
#ifndef REPRISE_ORDER_EXCEPTION_H
#define REPRISE_ORDER_EXCEPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "order/varint.h"

struct order_exception {
  uint64_t address;
  uint64_t value; /* the first byte is the lowest */
  uint8_t count;  /* bytes: 1 to 8 */
  bool writes;    /* the instruction writes them, too */
};

enum { EXCEPTION_LARGEST = 2 + VARINT_LARGEST + 8 };

/* No step of a written log begins with this byte. */
static inline bool exception_is_next(const uint8_t *bytes, size_t count) {
  return count && !bytes[0];
}
size_t exception_put(const struct order_exception *exception, uint8_t *to);
/* Bytes used, 0 when there are too few, -1 when these are none. */
int exception_get(struct order_exception *exception, const uint8_t *from, size_t bytes);

#endif

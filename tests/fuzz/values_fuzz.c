/* values_fuzz.c: the decoder of values against arbitrary bytes. The first bytes are the parts. What is accepted lies within its part and within the bytes,
 * and is accepted again, the same, from a copy that ends where it ends: so nothing behind it was looked at. */
#include <stdlib.h>
#include <string.h>

#include "order/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { PARTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  struct values_part parts[PARTS];
  if (length < 2 * PARTS) return 0;
  for (unsigned i = 0; i < PARTS; i++) {
    uint8_t from = bytes[2 * i] % VALUES_LINE;
    parts[i] =
        (struct values_part){.from = from, .count = (uint8_t)(1 + bytes[2 * i + 1] % (VALUES_LINE - from))};
  }
  for (size_t at = (size_t)2 * PARTS; at < length;) {
    struct values_run run, same;
    int used = values_decode(parts, PARTS, bytes + at, length - at, &run);
    if (used <= 0) break;
    if ((size_t)used > length - at || run.part >= PARTS || !run.count) abort();
    if (run.offset < parts[run.part].from) abort();
    if (run.offset + run.count > (unsigned)parts[run.part].from + parts[run.part].count) abort();
    uint8_t *exact = malloc((size_t)used);
    memcpy(exact, bytes + at, (size_t)used);
    if (values_decode(parts, PARTS, exact, (size_t)used, &same) != used || same.part != run.part ||
        same.offset != run.offset || same.count != run.count || memcmp(same.bytes, run.bytes, run.count))
      abort();
    free(exact);
    at += (size_t)used;
  }
  return 0;
}

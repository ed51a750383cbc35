/* values_fuzz.c: the decoder of values against arbitrary bytes. What is accepted lies within its line and within the bytes,
 * and is accepted again, the same, from a copy that ends where it ends: so nothing behind it was looked at. */
#include <stdlib.h>
#include <string.h>

#include "order/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    struct values_run run, same;
    int used = values_decode(bytes + at, length - at, &run);
    if (used <= 0) break;
    if ((size_t)used > length - at || !run.count || run.offset + run.count > VALUES_LINE) abort();
    uint8_t *exact = malloc((size_t)used);
    memcpy(exact, bytes + at, (size_t)used);
    if (values_decode(exact, (size_t)used, &same) != used || same.since != run.since ||
        same.offset != run.offset || same.count != run.count || memcmp(same.bytes, run.bytes, run.count))
      abort();
    free(exact);
    at += (size_t)used;
  }
  return 0;
}

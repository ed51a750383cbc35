/* events_fuzz.c: the decoder of input-log events against arbitrary bytes. What it accepts must be encoded to the same
 * bytes again: then it has neither read too far nor lost a bit. */
#include <stdlib.h>
#include <string.h>

#include "input/events.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  struct input_codec reader = {0}, writer = {0};
  uint8_t *again = malloc(length + 1);
  for (size_t at = 0; at < length;) {
    struct input_event event;
    long n = input_decode(&reader, &event, bytes + at, length - at);
    if (n <= 0) break;
    if (input_encode(&writer, &event, again, length) != n || memcmp(again, bytes + at, (size_t)n)) abort();
    if (memcmp(&reader, &writer, sizeof reader)) abort();
    at += (size_t)n;
  }
  free(again);
  return 0;
}

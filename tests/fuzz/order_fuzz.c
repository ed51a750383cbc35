/* order_fuzz.c: the decoders of the order logs against arbitrary bytes. The first byte chooses the scheme. What is accepted stays within
 * bounds, and is accepted again, the same, from a copy that ends where it ends: so nothing behind it was looked at. */
#include <stdlib.h>
#include <string.h>

#include "order/chunk.h"
#include "order/order.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct order_scheme *const schemes[] = {&order_tokens, &order_dag, &order_scalar, &order_arcs};

static void check_step(const struct order_step *step, uint64_t position) {
  if (step->from < position || step->until < step->from) abort();
  if (step->waits > 2 * ORDER_PREDS || step->signals > ORDER_SLOTS) abort();
  for (unsigned i = 0; i < step->waits; i++)
    if (step->wait[i].slot >= ORDER_SLOTS && step->wait[i].kind != ORDER_WAIT_ALL) abort();
  for (unsigned i = 0; i < step->signals; i++)
    if (step->signal[i] >= ORDER_SLOTS) abort();
}

/* Of the log that threads share which run one at a time: what is accepted is written the same again. */
static int try_chunks(const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    uint8_t again[CHUNK_END_LARGEST];
    struct chunk_end end, same;
    int n = chunk_decode(&end, bytes + at, length - at);
    if (n <= 0) break;
    size_t count = chunk_encode(&end, again);
    if (end.reason >= CHUNK_REASONS || count > (size_t)n) abort();
    if (chunk_decode(&same, again, count) != (int)count || same.length != end.length ||
        same.next != end.next || same.reason != end.reason)
      abort();
    at += (size_t)n;
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static struct order_reader reader, again;
  static struct order_step step, same;
  if (!length) return 0;
  if (*bytes % 5 == 4) return try_chunks(bytes + 1, length - 1);
  reader = (struct order_reader){.scheme = schemes[*bytes % 5]};
  for (size_t at = 1; at < length;) {
    uint64_t position = reader.position;
    again = reader;
    memset(&step, 0, sizeof step);
    memset(&same, 0, sizeof same);
    int n = order_decode(&reader, &step, bytes + at, length - at);
    if (n <= 0) break;
    check_step(&step, position);
    uint8_t *exact = malloc((size_t)n);
    memcpy(exact, bytes + at, (size_t)n);
    if (order_decode(&again, &same, exact, (size_t)n) != n || memcmp(&step, &same, sizeof step)) abort();
    if (memcmp(&reader, &again, sizeof reader)) abort();
    free(exact);
    at += (size_t)n;
  }
  return 0;
}

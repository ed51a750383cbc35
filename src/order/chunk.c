/* chunk.c: chunk sizes, the queue for the baton, the encoding of the order log. See chunk.h. */
#include "order/chunk.h"

#include "order/varint.h"

/* -- Who is next ---------------------------------------------------------------------------------------------------- */

/* splitmix64: any seed will do, zero too. */
static uint64_t draw(struct chunk_scheduler *scheduler) {
  uint64_t z = scheduler->random += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void chunk_init(struct chunk_scheduler *scheduler, uint64_t seed, bool chaos, uint64_t size) {
  *scheduler = (struct chunk_scheduler){.random = seed, .chaos = chaos, .size = size};
}

/* With chaos, sizes are spread evenly over the orders of magnitude: races have their windows at any scale. */
uint64_t chunk_size(struct chunk_scheduler *scheduler) {
  if (!scheduler->chaos) return scheduler->size;
  unsigned scale = (unsigned)(draw(scheduler) % 11);
  uint64_t size = scheduler->size >> scale;
  size -= draw(scheduler) % (size / 2 + 1);
  return size < CHUNK_SIZE_LEAST ? CHUNK_SIZE_LEAST : size;
}

void chunk_wait(struct chunk_scheduler *scheduler, uint32_t slot) {
  scheduler->queue[(scheduler->first + scheduler->count++) % CHUNK_SLOTS] = (uint16_t)slot;
}

/* Closes the gap that the nth in the queue leaves. */
static void take_out(struct chunk_scheduler *scheduler, uint32_t n) {
  for (; n + 1 < scheduler->count; n++)
    scheduler->queue[(scheduler->first + n) % CHUNK_SLOTS] =
        scheduler->queue[(scheduler->first + n + 1) % CHUNK_SLOTS];
  scheduler->count--;
}

bool chunk_next(struct chunk_scheduler *scheduler, uint32_t *slot) {
  if (!scheduler->count) return false;
  uint32_t n = scheduler->chaos ? (uint32_t)(draw(scheduler) % scheduler->count) : 0;
  *slot = scheduler->queue[(scheduler->first + n) % CHUNK_SLOTS];
  if (n) {
    take_out(scheduler, n);
  } else {
    scheduler->first = (scheduler->first + 1) % CHUNK_SLOTS;
    scheduler->count--;
  }
  return true;
}

void chunk_forget(struct chunk_scheduler *scheduler, uint32_t slot) {
  for (uint32_t n = 0; n < scheduler->count;)
    if (scheduler->queue[(scheduler->first + n) % CHUNK_SLOTS] == slot)
      take_out(scheduler, n);
    else
      n++;
}

/* -- The order log ---------------------------------------------------------------------------------------------------- */

size_t chunk_encode(const struct chunk_end *end, uint8_t buffer[CHUNK_END_LARGEST]) {
  size_t n = varint_put(buffer, end->length << 2 | end->reason);
  return n + varint_put(buffer + n, end->next);
}

int chunk_decode(struct chunk_end *end, const uint8_t *buffer, size_t bytes) {
  uint64_t length, next;
  int first = varint_get(&length, buffer, bytes);
  if (first <= 0) return first;
  int second = varint_get(&next, buffer + first, bytes - (size_t)first);
  if (second <= 0) return second;
  if (next > UINT32_MAX) return -1;
  *end = (struct chunk_end){
      .length = length >> 2, .next = (uint32_t)next, .reason = (uint8_t)(length & 3), .known = true};
  return first + second;
}

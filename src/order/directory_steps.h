/* directory_steps.h: what the files of directory.h share among themselves. */
#ifndef REPRISE_ORDER_DIRECTORY_STEPS_H
#define REPRISE_ORDER_DIRECTORY_STEPS_H

#include "order/directory.h"

static inline void notify(const struct directory *d, unsigned slot) {
  atomic_fetch_add(&d->slot[slot].events, 1);
  d->wake(d, slot);
}

/* Held for a few instructions, or while the log is drained: whoever has it needs no other thread. */
static inline bool lock_recorder(const struct directory *d, unsigned slot) {
  if (!d->order->scheme->asks_writer) return true;
  return !atomic_exchange_explicit(&d->slot[slot].lock, 1, memory_order_acquire);
}
static inline void unlock_recorder(const struct directory *d, unsigned slot) {
  if (d->order->scheme->asks_writer) atomic_store_explicit(&d->slot[slot].lock, 0, memory_order_release);
}

static inline bool change_state(const struct directory *d, unsigned slot, uint32_t from, uint32_t to) {
  return atomic_compare_exchange_strong(&d->slot[slot].state, &from, to);
}

enum serve_at { SERVE_LOOK, SERVE_FIND, SERVE_LOCK, SERVE_REPLY, SERVE_ANSWER };

static inline uint32_t cell_word(unsigned slot, enum directory_cell_state state) {
  return (uint32_t)slot << 8 | state;
}

/* One request, from the lock of the answerer's recorder to the answer. */
enum directory_result directory_serve_one(const struct directory *d, struct directory_serve *serve);

#endif

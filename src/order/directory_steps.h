/* directory_steps.h: what the files of directory.h share among themselves and with their explorer: the names of the steps. */
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

enum claim_at {
  CLAIM_NEXT,
  CLAIM_LOCK,
  CLAIM_LOCK_SERVE,
  CLAIM_ASK,
  CLAIM_ASK_MARK,
  CLAIM_ROUND,
  CLAIM_ROUND_SERVE,
  CLAIM_HELD,
  CLAIM_HELD_SERVE,
  CLAIM_RELEASE,
  CLAIM_RELEASE_WAKE,
  CLAIM_WRITER,
  CLAIM_WRITER_ASK,
  CLAIM_RECEIVE,
  CLAIM_RECEIVED,
  CLAIM_GRANT,
  CLAIM_GRANT_WAKE,
};

enum park_at { PARK_SERVE, PARK_LOCK, PARK_SCHEME, PARK_SET, PARK_CHECK, PARK_SERVE_AGAIN };
enum unpark_at { UNPARK_TAKE, UNPARK_LOCK, UNPARK_SCHEME, UNPARK_SERVE };
enum serve_at { SERVE_LOOK, SERVE_FIND, SERVE_LOCK, SERVE_REPLY, SERVE_ANSWER };

static inline uint32_t cell_word(unsigned slot, enum directory_cell_state state) {
  return (uint32_t)slot << 8 | state;
}

/* One request, from the lock of the answerer's recorder to the answer. */
enum directory_result directory_serve_one(const struct directory *d, struct directory_serve *serve);

#endif

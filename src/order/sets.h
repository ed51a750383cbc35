/* sets.h: sets of slots, address filters, how lists of slots are written and read: for the schemes among themselves. */
#ifndef REPRISE_ORDER_SETS_H
#define REPRISE_ORDER_SETS_H

#include <stdatomic.h>

#include "order/order.h"

static inline bool set_has(const struct order_set *set, unsigned slot) {
  return set->word[slot / 64] >> slot % 64 & 1;
}
static inline void set_add(struct order_set *set, unsigned slot) {
  set->word[slot / 64] |= 1UL << slot % 64;
}
static inline void set_remove(struct order_set *set, unsigned slot) {
  set->word[slot / 64] &= ~(1UL << slot % 64);
}
static inline void set_join(struct order_set *set, const struct order_set *other) {
  for (unsigned i = 0; i < sizeof set->word / sizeof *set->word; i++) set->word[i] |= other->word[i];
}
/* The first member from this slot on; ORDER_SLOTS or more if there is none. */
static inline unsigned set_next(const struct order_set *set, unsigned slot) {
  for (; slot < ORDER_SLOTS; slot = (slot / 64 + 1) * 64) {
    uint64_t rest = set->word[slot / 64] >> slot % 64;
    if (rest) return slot + (unsigned)__builtin_ctzll(rest);
  }
  return ORDER_SLOTS;
}

/* Two bits a block: a Bloom filter of 1024 bits, as Karma's and Rerun's. */
static inline void filter_bits(uint64_t block, unsigned bit[2]) {
  uint64_t hash = block * 0x9e3779b97f4a7c15;
  bit[0] = (unsigned)(hash >> 32) % (8 * ORDER_FILTER_BYTES);
  bit[1] = (unsigned)(hash >> 48) % (8 * ORDER_FILTER_BYTES);
}
static inline void filter_add(struct order_filter *filter, uint64_t block) {
  unsigned bit[2];
  filter_bits(block, bit);
  for (unsigned i = 0; i < 2; i++) filter->byte[bit[i] / 8] |= (uint8_t)(1 << bit[i] % 8);
}
static inline bool filter_may_have(const struct order_filter *filter, uint64_t block) {
  unsigned bit[2];
  filter_bits(block, bit);
  return filter->byte[bit[0] / 8] >> bit[0] % 8 & 1 && filter->byte[bit[1] / 8] >> bit[1] % 8 & 1;
}

/* A list of slots, ascending: varint(gap * 2 + more follow), the first gap from 0. */
struct slot_writer {
  uint8_t *bytes;
  size_t count;
  unsigned last;
};
static inline void put_slot(struct slot_writer *to, unsigned slot, bool more) {
  to->count += varint_put(to->bytes + to->count, (uint64_t)(slot - to->last) << 1 | more);
  to->last = slot;
}

struct slot_reader {
  const uint8_t *bytes;
  size_t count, used;
  unsigned last;
  bool more;
};
/* 1, or as varint_get when there is none. */
static inline int get_slot(struct slot_reader *from, unsigned *slot) {
  uint64_t value;
  int n = varint_get(&value, from->bytes + from->used, from->count - from->used);
  if (n <= 0) return n;
  if (value >> 1 >= ORDER_SLOTS - from->last) return -1;
  from->used += (size_t)n;
  from->last = *slot = from->last + (unsigned)(value >> 1);
  from->more = value & 1;
  return 1;
}
static inline int get_number(struct slot_reader *from, uint64_t *value) {
  int n = varint_get(value, from->bytes + from->used, from->count - from->used);
  if (n > 0) from->used += (size_t)n;
  return n > 0 ? 1 : n;
}

/* Whether an edge is to end the episode: what was executed in it would wait, or be waited for, too long. */
static inline bool is_long(const struct order *order, const struct order_recorder *me) {
  return order->options.edges_only && order->options.max_episode &&
         me->position - me->start >= order->options.max_episode;
}

/* A record is being logged: who is killed meanwhile leaves what order_recover() needs, so the stores are made in this order. Between
 * the two calls comes the record, then what is different with it. */
static inline void start_logging(struct order_recorder *me, struct order_next next) {
  me->log_start = 0;
  me->next = next;
  atomic_signal_fence(memory_order_seq_cst);
  me->logging = true;
  atomic_signal_fence(memory_order_seq_cst);
}
static inline void finish_logging(struct order_recorder *me) {
  atomic_signal_fence(memory_order_seq_cst);
  me->logging = false;
}

/* A step without waits and signals; the room for them is left as it is. */
static inline void start_step(struct order_step *step, uint64_t from, uint64_t until, uint64_t clock) {
  step->from = from, step->until = until, step->clock = clock, step->arrive = 0;
  step->waits = step->signals = step->slot = 0;
  step->begins = false;
}

/* The first record of each log: varint(slot), varint(threads that the slot had before), varint(clock that it starts with). The thread
 * is alive from then on; `logged`: what the next record is relative to. */
void order_log_begin(const struct order *order, struct order_recorder *me, uint64_t clock, uint64_t logged);

#endif

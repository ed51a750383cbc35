/* sets.h: sets of slots, address filters, how lists of slots are written and read: for the schemes among themselves. */
#ifndef REPRISE_ORDER_SETS_H
#define REPRISE_ORDER_SETS_H

#include <stdatomic.h>

#include "order/order.h"

/* Slots i * 64 to i * 64 + 63. */
static inline uint64_t set_word(const struct order_set *set, unsigned i) {
  return set->any >> i & 1 ? set->word[i] : 0;
}
/* A thread that is killed in between leaves the set as it was before: the word counts when it is complete. */
static inline void set_put_word(struct order_set *set, unsigned i, uint64_t word) {
  set->word[i] = word;
  atomic_signal_fence(memory_order_seq_cst);
  set->any |= 1UL << i;
}
/* The first word is made zero all the same: sets of up to 64 slots are equal when their bytes are, as the explorer wants it. */
static inline void set_clear(struct order_set *set) {
  set->any = set->word[0] = 0;
}
static inline bool set_has(const struct order_set *set, unsigned slot) {
  return set_word(set, slot / 64) >> slot % 64 & 1;
}
static inline void set_add(struct order_set *set, unsigned slot) {
  set_put_word(set, slot / 64, set_word(set, slot / 64) | 1UL << slot % 64);
}
static inline void set_remove(struct order_set *set, unsigned slot) {
  if (!set_has(set, slot)) return;
  set->word[slot / 64] &= ~(1UL << slot % 64);
  if (!set->word[slot / 64]) set->any &= ~(1UL << slot / 64);
}
static inline void set_join(struct order_set *set, const struct order_set *other) {
  for (uint64_t words = other->any; words; words &= words - 1) {
    unsigned i = (unsigned)__builtin_ctzll(words);
    set_put_word(set, i, set_word(set, i) | other->word[i]);
  }
}
static inline void set_copy(struct order_set *set, const struct order_set *other) {
  set_clear(set);
  set_join(set, other);
}
static inline void set_subtract(struct order_set *set, const struct order_set *other) {
  for (uint64_t words = set->any & other->any; words; words &= words - 1) {
    unsigned i = (unsigned)__builtin_ctzll(words);
    set->word[i] &= ~other->word[i];
    if (!set->word[i]) set->any &= ~(1UL << i);
  }
}
/* The first member from this slot on; ORDER_SLOTS or more if there is none. */
static inline unsigned set_next(const struct order_set *set, unsigned slot) {
  if (slot >= ORDER_SLOTS) return ORDER_SLOTS;
  uint64_t rest = set_word(set, slot / 64) >> slot % 64;
  if (rest) return slot + (unsigned)__builtin_ctzll(rest);
  for (uint64_t words = set->any >> slot / 64 & ~1UL; words; words &= words - 1) {
    unsigned i = slot / 64 + (unsigned)__builtin_ctzll(words);
    if (set->word[i]) return i * 64 + (unsigned)__builtin_ctzll(set->word[i]);
  }
  return ORDER_SLOTS;
}

/* An episode in which nothing has happened. */
static inline void episode_start(struct order_episode *episode, uint64_t clock) {
  episode->pred.count = episode->after.count = 0;
  set_clear(&episode->succ);
  episode->succ_any = episode->exists = false;
  episode->clock = clock;
  episode->size = 0;
}

static inline uint64_t heard_of(const struct order_heard *heard, unsigned slot) {
  return slot < heard->count ? heard->of[slot] : 0;
}
static inline void hear(struct order_heard *heard, unsigned slot, uint64_t value) {
  heard->of[slot] = value;
  if (slot >= heard->count) heard->count = slot + 1;
}
static inline void hear_nothing(struct order_heard *heard) {
  for (unsigned i = 0; i < heard->count; i++) heard->of[i] = 0;
  heard->count = 0;
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

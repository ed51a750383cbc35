/* directory_steps.h: what the files of directory.h share among themselves and with their explorer: the names of the steps. */
#ifndef REPRISE_ORDER_DIRECTORY_STEPS_H
#define REPRISE_ORDER_DIRECTORY_STEPS_H

#include "order/directory.h"
#include "order/wrong.h"

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
  CLAIM_ALONG,
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
enum serve_at { SERVE_LOOK, SERVE_FIND, SERVE_ALONG, SERVE_LOCK, SERVE_REPLY, SERVE_ANSWER };

static inline uint32_t cell_word(unsigned slot, enum directory_cell_state state) {
  return (uint32_t)slot << 8 | state;
}

/* -- Entries --------------------------------------------------------------------------------------------------------- */

enum { WORD_LOCKED = 1, WORD_CONTENDED = 2, WORD_MODE = 2, WORD_WHO = 4, WORD_SHARERS = 14, WORD_BITS = 10 };
_Static_assert(ORDER_SLOTS < 1 << WORD_BITS, "a slot and nobody fit");
_Static_assert(WORD_SHARERS + DIRECTORY_INLINE * WORD_BITS <= 64, "all sharers fit");

static inline enum directory_mode word_mode(uint64_t word) {
  return (enum directory_mode)(word >> WORD_MODE & 3);
}
static inline unsigned word_field(uint64_t word, unsigned shift) {
  return (unsigned)(word >> shift) & ((1U << WORD_BITS) - 1);
}
static inline uint64_t make_word(enum directory_mode mode, unsigned who) {
  return (uint64_t)mode << WORD_MODE | (uint64_t)who << WORD_WHO;
}
static inline unsigned sharer_shift(unsigned i) {
  return WORD_SHARERS + i * WORD_BITS;
}

static inline uint64_t group_of(uint64_t block) {
  return block & ~(uint64_t)(DIRECTORY_GROUP - 1);
}
static inline uint64_t group_bit(uint64_t block) {
  return 1UL << block % DIRECTORY_GROUP;
}
/* The first of some blocks of the group that this one is in. */
static inline uint64_t group_first(uint64_t block, uint64_t bits) {
  return group_of(block) + (unsigned)__builtin_ctzll(bits);
}

/* The entries of some blocks of the group are about to be changed one after the other, and another processor had them last: let them all
 * come at once. */
static inline void fetch_entries(const struct directory *d, uint64_t block, uint64_t bits) {
  enum { IN_A_LINE = DIRECTORY_LINE / sizeof(uint64_t) };
  for (unsigned i = 0; i < DIRECTORY_GROUP; i += IN_A_LINE)
    if (bits >> i & ((1UL << IN_A_LINE) - 1)) __builtin_prefetch(d->place(d, group_of(block) + i).word, 1);
}

/* Locks an entry out of turn, if it is free and still what it was: whoever does so must not wait for anybody before it lets
 * go. */
static inline bool lock_along(const struct directory *d, uint64_t block, uint64_t word) {
  return ORDER_WRONG(WRONG_ALONG_UNLOCKED) ||
         (!(word & WORD_LOCKED) &&
          atomic_compare_exchange_strong(d->place(d, block).word, &word, word | WORD_LOCKED));
}

/* The request is known: who answers whom, and where. */
void directory_serve_begin(const struct directory *d, struct directory_serve *serve);
/* One request, from the lock of the answerer's recorder to the answer. */
enum directory_result directory_serve_one(const struct directory *d, struct directory_serve *serve);

#endif

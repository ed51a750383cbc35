/* directory_steps.h: what the files of directory.h share among themselves and with their explorer: the names of the steps. */
#ifndef REPRISE_ORDER_DIRECTORY_STEPS_H
#define REPRISE_ORDER_DIRECTORY_STEPS_H

#include "order/directory.h"
#include "order/wrong.h"

static inline void notify(const struct directory *d, unsigned slot) {
  atomic_fetch_add(&d->slot[slot].events, 1);
  d->wake(d, slot);
}

/* Whether recorders are locked at all: they are where others than their threads look into them, or have to go on with one whose thread
 * was killed at it. */
static inline bool locks_recorders(const struct directory *d) {
  return d->order->scheme->asks_writer || d->own_id;
}

/* Held for a few instructions, or while the log is drained: whoever has it needs no other thread, but may be killed. */
static inline bool lock_recorder(const struct directory *d, unsigned slot) {
  if (!locks_recorders(d)) return true;
  uint32_t holder = 0, own = d->own_id ? d->own_id(d) : 1;
  return atomic_compare_exchange_strong_explicit(&d->slot[slot].lock, &holder, own, memory_order_acquire,
                                                 memory_order_relaxed) ||
         (d->take_over && d->take_over(d, slot, holder));
}
static inline void unlock_recorder(const struct directory *d, unsigned slot) {
  if (locks_recorders(d)) atomic_store_explicit(&d->slot[slot].lock, 0, memory_order_release);
}

static inline bool change_state(const struct directory *d, unsigned slot, uint32_t from, uint32_t to) {
  return atomic_compare_exchange_strong(&d->slot[slot].state, &from, to);
}

enum claim_at {
  CLAIM_NEXT,
  CLAIM_LOCK,
  CLAIM_LOCK_MARKED,
  CLAIM_LOCK_SERVE,
  CLAIM_BRING,
  CLAIM_BRING_LOCK,
  CLAIM_BRING_LOCKED,
  CLAIM_BRING_REFUSED,
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
  CLAIM_GRANTED,
  CLAIM_FURTHER,
  CLAIM_FURTHER_GRANTED,
};

enum leave_at { LEAVE_LOCK, LEAVE_RECORDER, LEAVE_SET, LEAVE_UNLOCK, LEAVE_TELL };
enum park_at { PARK_SERVE, PARK_LOCK, PARK_SCHEME, PARK_SET, PARK_CHECK, PARK_SERVE_AGAIN };
enum unpark_at { UNPARK_TAKE, UNPARK_LOCK, UNPARK_SCHEME, UNPARK_SERVE };
enum serve_at {
  SERVE_LOOK,
  SERVE_FIND,
  SERVE_LOCK,
  SERVE_REPLY,
  SERVE_FURTHER,
  SERVE_FURTHER_LOCK,
  SERVE_FURTHER_LOCKED,
  SERVE_FURTHER_REFUSED,
  SERVE_ANSWER
};

static inline uint32_t cell_word(unsigned slot, enum directory_cell_state state) {
  return (uint32_t)slot << 8 | state;
}

/* -- Groups ---------------------------------------------------------------------------------------------------------- */

enum { WORD_MODE = 0, WORD_WHO = 2, WORD_SHARERS = 14, WORD_BITS = 12 };
_Static_assert(ORDER_SLOTS < 1 << WORD_BITS, "a slot and nobody fit");
_Static_assert(WORD_SHARERS + DIRECTORY_INLINE * WORD_BITS <= 64, "all sharers fit");
_Static_assert(DIRECTORY_GROUP <= 64, "a set of blocks is a word");

#define GROUP_ALL (UINT64_MAX >> (64 - DIRECTORY_GROUP))

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

/* How many words of `asked` can have a mark. */
static inline unsigned directory_asked_words(const struct directory *d) {
  return (atomic_load_explicit(d->slots, memory_order_acquire) + 63) / 64;
}
static inline bool directory_is_asked(const struct directory *d, const struct directory_slot *slot) {
  for (unsigned i = 0, words = directory_asked_words(d); i < words; i++)
    if (atomic_load(&slot->asked[i])) return true;
  return false;
}

/* The first of some blocks of the group. */
static inline uint64_t group_first(uint64_t group, uint64_t blocks) {
  return group * DIRECTORY_GROUP + (unsigned)__builtin_ctzll(blocks);
}
/* Those of the range that are in the group. */
static inline uint64_t group_part(uint64_t group, const struct directory_range *range) {
  uint64_t low = group * DIRECTORY_GROUP, high = low + DIRECTORY_GROUP;
  if (range->first >= high || range->end <= low) return 0;
  uint64_t from = range->first > low ? range->first - low : 0;
  uint64_t rest = range->end < high ? high - range->end : 0;
  return GROUP_ALL << from & GROUP_ALL >> rest;
}

static inline uint64_t pinned(const struct directory_slot *slot, uint64_t group) {
  uint64_t blocks = 0;
  for (unsigned i = 0; i < slot->pins; i++) blocks |= group_part(group, &slot->pin[i]);
  return blocks;
}

/* Of a claim that has just got its locks: who is to be asked, whose edges are to be had, and what comes along. */
void directory_find_targets(const struct directory *d, unsigned me, struct directory_claim *claim);
/* The owner has answered a reader: it owns these no more. */
void directory_disown(const struct directory *d, const struct directory_claim *claim, unsigned owner,
                      uint64_t info);
/* The info that the last writer of these blocks left. */
uint64_t directory_info(const struct directory *d, unsigned me, const struct directory_claim *claim,
                        unsigned writer);
/* The entries after the grant. */
void directory_grant(const struct directory *d, unsigned me, const struct directory_claim *claim);
/* The blocks of the group that somebody has touched. */
uint64_t directory_touched(const struct directory *d, uint64_t group);

/* The n-th further part that the slot asks for. */
static inline struct directory_part further_part(const struct directory_slot *slot, unsigned n) {
  uint64_t first =
      slot->group * DIRECTORY_GROUP + slot->walk.first + (uint64_t)((int64_t)slot->walk.stride * n);
  struct directory_range range = {first, first + slot->walk.width};
  return (struct directory_part){first / DIRECTORY_GROUP, group_part(first / DIRECTORY_GROUP, &range)};
}
/* Takes the locks of the part, or none of them. */
static inline bool lock_part(const struct directory *d, struct directory_part part) {
  struct directory_group *group = d->group(d, part.group);
  uint64_t now = atomic_load(&group->locked);
  return !(now & part.blocks) && atomic_compare_exchange_strong(&group->locked, &now, now | part.blocks);
}
static inline void unlock_part(const struct directory *d, struct directory_part part) {
  atomic_fetch_and(&d->group(d, part.group)->locked, ~part.blocks);
}
/* Whether nobody but the answerer has to be asked for the part; some of it may have been left. Without its locks: whether it seems so. */
bool directory_has_alone(const struct directory *d, struct directory_part part, unsigned answerer,
                         unsigned asker, unsigned want);
/* Whether nobody has to be asked for the part: it is only read, and to be read, or was left. */
bool directory_is_free(const struct directory *d, struct directory_part part, unsigned want);
/* Whether these blocks are only read. Without their locks: whether it seems so. */
bool directory_is_unowned(const struct directory *d, uint64_t group, uint64_t blocks);
/* Of a part that the claim brings: whose edges are to be had. */
void directory_add_writers(const struct directory *d, unsigned me, struct directory_claim *claim,
                           struct directory_part part);
/* The same of a part that was brought with an answer, which says nothing of those who have left some of it. */
void directory_add_leavers(const struct directory *d, unsigned me, struct directory_claim *claim,
                           struct directory_part part);
/* Which of these blocks that one has left, ORDER_NOBODY: anyone; and owns. Without their locks: seems to. */
uint64_t directory_left_by(const struct directory *d, unsigned who, uint64_t number, uint64_t blocks);
uint64_t directory_owned_by(const struct directory *d, unsigned who, uint64_t number, uint64_t blocks);
/* The entries of what I owned and have left; info as in a reply. */
void directory_set_left(const struct directory *d, unsigned me, struct directory_part part, uint64_t info);
/* The entries of a further part after its grant. */
void directory_grant_part(const struct directory *d, unsigned me, struct directory_part part, uint64_t info);
/* Some locks of the group are free, and somebody has waited. */
void directory_tell_waiters(const struct directory *d, unsigned me, uint64_t number);

/* One request, from the lock of the answerer's recorder to the answer. */
enum directory_result directory_serve_one(const struct directory *d, struct directory_serve *serve);

#endif

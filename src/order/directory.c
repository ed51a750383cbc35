/* directory.c: the side of the hand-over protocol that takes: from a miss to the grant. See directory.h.
 *
 * Between the steps of one thread any steps of others may come. */
#include "order/directory.h"

#include "order/directory_steps.h"
#include "order/sets.h"
#include "order/wrong.h"

/* -- Entries --------------------------------------------------------------------------------------------------------- */

static uint64_t add_sharer(uint64_t word, unsigned slot) {
  if (word_mode(word) == DIRECTORY_MANY) return word;
  for (unsigned i = 0; i < DIRECTORY_INLINE; i++) {
    unsigned field = word_field(word, sharer_shift(i));
    if (field == slot + 1) return word;
    if (!field) return word | (uint64_t)(slot + 1) << sharer_shift(i);
  }
  return make_word(DIRECTORY_MANY, word_field(word, WORD_WHO));
}

/* Who has to answer before the block can be had. */
static void find_targets(const struct directory *d, unsigned me, struct directory_claim *claim,
                         unsigned want) {
  uint64_t word = claim->word;
  enum directory_mode mode = word_mode(word);
  claim->targets = (struct order_set){0};
  if (mode == DIRECTORY_OWNED) {
    set_add(&claim->targets, word_field(word, WORD_WHO) - 1);
  } else if (mode == DIRECTORY_SHARED && want == ORDER_WRITE) {
    for (unsigned i = 0; i < DIRECTORY_INLINE; i++)
      if (word_field(word, sharer_shift(i))) set_add(&claim->targets, word_field(word, sharer_shift(i)) - 1);
  } else if (mode == DIRECTORY_MANY && want == ORDER_WRITE) {
    unsigned slots = atomic_load_explicit(d->slots, memory_order_acquire);
    for (unsigned slot = 0; slot < slots; slot++)
      if (d->holds(d, slot, claim->block)) set_add(&claim->targets, slot);
  }
  set_remove(&claim->targets, me);
  for (unsigned slot = 0; ORDER_WRONG(WRONG_MARKS_DROPPED) && slot < ORDER_SLOTS; slot++)
    if (!d->slot[slot].recorder.alive) set_remove(&claim->targets, slot);
}

/* The entry as the grant leaves it, and the permission that comes with it. */
static uint64_t granted(uint64_t word, unsigned me, unsigned want, unsigned *permission) {
  bool owned = word_mode(word) == DIRECTORY_OWNED;
  unsigned who = word_field(word, WORD_WHO);
  *permission = ORDER_WRITE;
  if (want == ORDER_WRITE || (owned && who == me + 1)) return make_word(DIRECTORY_OWNED, me + 1);
  *permission = ORDER_READ;
  if (owned) word = add_sharer(make_word(DIRECTORY_SHARED, who), who - 1);
  if (word_mode(word) == DIRECTORY_UNTOUCHED) word = make_word(DIRECTORY_SHARED, 0);
  return add_sharer(word, me);
}

/* -- Claiming ---------------------------------------------------------------------------------------------------------- */

/* Not all of it is set: most of a claim is never looked at. */
void directory_claim_start(struct directory_claim *claim) {
  claim->at = CLAIM_NEXT;
  claim->count = claim->range = 0;
  claim->block = 0;
  claim->revoke = claim->moved = false;
  claim->cell = claim->then = 0;
  claim->word = claim->info = 0;
  claim->source = 0;
  claim->along = claim->left = 0;
  LATE(claim, false);
  directory_serve_start(&claim->serve);
}

bool directory_claim_add(struct directory_claim *claim, uint64_t first, uint64_t end, enum order_want want) {
  struct directory_range *ranges = claim->ranges;
  unsigned i = 0;
  while (i < claim->count && ranges[i].end <= first) i++;
  while (i < claim->count && ranges[i].first < end) { /* it and this one overlap: one range */
    if (ranges[i].first < first) first = ranges[i].first;
    if (ranges[i].end > end) end = ranges[i].end;
    if (claim->want[i] > want) want = (enum order_want)claim->want[i];
    claim->count--;
    for (unsigned k = i; k < claim->count; k++)
      ranges[k] = ranges[k + 1], claim->want[k] = claim->want[k + 1];
  }
  if (claim->count == DIRECTORY_RANGES) return false;
  for (unsigned k = claim->count++; k > i; k--)
    ranges[k] = ranges[k - 1], claim->want[k] = claim->want[k - 1];
  ranges[i] = (struct directory_range){first, end};
  claim->want[i] = (uint8_t)want;
  claim->block = ranges[0].first;
  return true;
}

void directory_unpin(const struct directory *d, unsigned me) {
  d->slot[me].pins = 0;
}

static unsigned wanted(const struct directory_claim *claim) {
  return claim->want[claim->range];
}

/* A block is had: others wait for it until the access is done. */
static void advance(const struct directory *d, unsigned me, struct directory_claim *claim) {
  struct directory_slot *slot = &d->slot[me];
  claim->block++;
  claim->at = CLAIM_NEXT;
  slot->pin[claim->range] = (struct directory_range){claim->ranges[claim->range].first, claim->block};
  slot->pins = ORDER_WRONG(WRONG_TWO_STEPS) ? 0 : claim->range + 1U;
}

/* To the next block that I do not have. Only I change what I have. */
static enum directory_result next_block(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  while (claim->range < claim->count) {
    uint64_t end = claim->ranges[claim->range].end;
    if (claim->revoke) claim->block = d->next_touched(d, claim->block, end);
    if (claim->block >= end) {
      d->slot[me].pin[claim->range] = claim->ranges[claim->range];
      if (++claim->range < claim->count) claim->block = claim->ranges[claim->range].first;
    } else if (d->holds(d, me, claim->block) >= wanted(claim)) {
      advance(d, me, claim);
    } else {
      struct directory_slot *slot = &d->slot[me];
      slot->block = claim->block;
      slot->want = (uint8_t)wanted(claim);
      slot->along = 0;
      claim->at = CLAIM_LOCK;
      return DIRECTORY_AGAIN;
    }
  }
  return DIRECTORY_DONE;
}

/* Which blocks may come along, those that are needed anyway among them: one who answers tells all there is to tell of what it gives. With filters, or last accesses, it would
 * not. */
static uint64_t welcome(const struct directory *d, unsigned me, const struct directory_claim *claim) {
  const struct order_options *options = &d->order->options;
  if (!d->along || claim->revoke || options->filter || options->last_access) return 0;
  unsigned first = set_next(&claim->targets, 0);
  if (first < ORDER_SLOTS && set_next(&claim->targets, first + 1) < ORDER_SLOTS) return 0;
  uint64_t along = d->along(d, me, claim->block), end = claim->ranges[claim->range].end;
  for (uint64_t block = claim->block; block < end && group_of(block) == group_of(claim->block); block++)
    along |= group_bit(block);
  return along & ~group_bit(claim->block);
}

/* Wakes those who wait for the lock of the block. */
static void tell_waiters(const struct directory *d, uint64_t block) {
  unsigned slots = atomic_load(d->slots);
  for (unsigned slot = 0; slot < slots; slot++)
    if (atomic_load(&d->slot[slot].wants) == (uint32_t)block + 1) notify(d, slot);
}

/* Takes the entry's lock, or leaves a mark that somebody waits, and before it who. */
static enum directory_result lock_entry(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  _Atomic uint64_t *word = d->place(d, claim->block).word;
  _Atomic uint32_t *wants = &d->slot[me].wants;
  claim->seen = atomic_load(&d->slot[me].events);
  uint64_t now = atomic_load(word);
  while (now & WORD_LOCKED) {
    atomic_store(wants, (uint32_t)claim->block + 1);
    if (atomic_compare_exchange_weak(word, &now, now | WORD_CONTENDED)) {
      claim->at = CLAIM_LOCK_SERVE;
      return DIRECTORY_AGAIN;
    }
  }
  if (!atomic_compare_exchange_strong(word, &now, now | WORD_LOCKED)) return DIRECTORY_AGAIN;
  if (atomic_load_explicit(wants, memory_order_relaxed)) atomic_store(wants, 0);
  claim->word = now & ~(uint64_t)(WORD_LOCKED | WORD_CONTENDED);
  find_targets(d, me, claim, wanted(claim));
  claim->cell = 0;
  d->slot[me].along = welcome(d, me, claim);
  bool all_read = word_mode(claim->word) >= DIRECTORY_SHARED && wanted(claim) == ORDER_READ;
  bool at_once = all_read || ORDER_WRONG(WRONG_ALONG_FIRST);
  claim->left = at_once ? d->slot[me].along : 0;
  fetch_entries(d, claim->block, claim->left);
  claim->at = at_once ? CLAIM_ALONG : CLAIM_ASK;
  return DIRECTORY_AGAIN;
}

/* One more block that all may read comes along, if the edge from the last writer of the first will do for it too: that is asked for
 * later, or has been left by a writer who had not left this one later. */
static enum directory_result read_along(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  if (!claim->left) {
    claim->at = CLAIM_ASK;
    return DIRECTORY_AGAIN;
  }
  uint64_t block = group_first(claim->block, claim->left), word = atomic_load(d->place(d, block).word);
  bool same =
      word_mode(word) >= DIRECTORY_SHARED && word_field(word, WORD_WHO) == word_field(claim->word, WORD_WHO);
  claim->left &= claim->left - 1;
  if (d->holds(d, me, block) >= wanted(claim) || !same || !lock_along(d, block, word)) return DIRECTORY_AGAIN;
  if (!d->order->scheme->asks_writer && *d->place(d, block).info > *d->place(d, claim->block).info) {
    if (atomic_exchange(d->place(d, block).word, word) & WORD_CONTENDED) tell_waiters(d, block);
    return DIRECTORY_AGAIN;
  }
  claim->along |= group_bit(block);
  return DIRECTORY_AGAIN;
}

/* Serves until there is nothing to; then on. Waits if nothing happened since `seen`. */
static enum directory_result serve_meanwhile(const struct directory *d, unsigned me,
                                             struct directory_claim *claim, enum claim_at then) {
  if (!ORDER_WRONG(WRONG_DEAF) && directory_serve_step(d, me, &claim->serve) != DIRECTORY_DONE) {
    claim->moved = true;
    return DIRECTORY_AGAIN;
  }
  bool moved = claim->moved || atomic_load(&d->slot[me].events) != claim->seen;
  claim->at = then;
  claim->moved = false;
  return moved ? DIRECTORY_AGAIN : DIRECTORY_WAITS;
}

/* Posts to one more target, in two steps: the request, then the mark in the target's slot. */
static enum directory_result ask_next(const struct directory *d, unsigned me, struct directory_claim *claim) {
  unsigned target = set_next(&claim->targets, 0);
  if (target >= ORDER_SLOTS || claim->cell == DIRECTORY_BATCH) {
    claim->cell = 0;
    claim->moved = false;
    LATE(claim, false);
    claim->at = CLAIM_ROUND;
    return DIRECTORY_AGAIN;
  }
  set_remove(&claim->targets, target);
  claim->source = (uint16_t)target;
  atomic_store_explicit(&d->slot[me].cell[claim->cell++].asks, cell_word(target, CELL_ASKED),
                        memory_order_release);
  claim->at = CLAIM_ASK_MARK;
  return DIRECTORY_AGAIN;
}

static enum directory_result ask_mark(const struct directory *d, unsigned me, struct directory_claim *claim) {
  unsigned target = claim->source;
  atomic_fetch_or(&d->slot[target].asked[me / 64], 1UL << me % 64);
  atomic_fetch_add(&d->slot[target].events, 1);
  d->kick(d, target);
  claim->at = CLAIM_ASK;
  return DIRECTORY_AGAIN;
}

/* All cells looked at. */
static enum directory_result end_round(const struct directory *d, unsigned me,
                                       struct directory_claim *claim) {
  bool empty = true;
  for (unsigned i = 0; i < DIRECTORY_BATCH; i++)
    if ((atomic_load(&d->slot[me].cell[i].asks) & 0xff) != CELL_EMPTY) empty = false;
  claim->cell = 0;
  LATE(claim, ORDER_WRONG(WRONG_ASKED_ONCE));
  if (!empty)
    claim->at = CLAIM_ROUND_SERVE;
  else
    claim->at = set_next(&claim->targets, 0) < ORDER_SLOTS ? CLAIM_ASK : CLAIM_WRITER;
  return DIRECTORY_AGAIN;
}

static bool hold(const struct directory *d, unsigned slot) {
  if (atomic_load(&d->slot[slot].state) != DIRECTORY_PARKED) return false;
  return ORDER_WRONG(WRONG_NO_CAS) || change_state(d, slot, DIRECTORY_PARKED, DIRECTORY_HELD);
}

/* One cell of the round: its answer is taken, or its target, if parked, is held to answer for it. On every round
 * anew: it may have parked since. */
static enum directory_result look_at_cell(const struct directory *d, unsigned me,
                                          struct directory_claim *claim) {
  if (!claim->cell) claim->seen = atomic_load(&d->slot[me].events);
  while (claim->cell < DIRECTORY_BATCH && !atomic_load(&d->slot[me].cell[claim->cell].asks)) claim->cell++;
  if (claim->cell == DIRECTORY_BATCH) return end_round(d, me, claim);
  struct directory_cell *cell = &d->slot[me].cell[claim->cell];
  uint32_t asks = atomic_load_explicit(&cell->asks, memory_order_acquire);
  unsigned target = asks >> 8;
  if ((asks & 0xff) == CELL_ANSWERED) {
    claim->source = (uint16_t)target;
    claim->note = cell->note;
    if (!ORDER_WRONG(WRONG_ALONG_FIRST)) claim->along = cell->along;
    fetch_entries(d, claim->block, claim->along);
    if (word_mode(claim->word) == DIRECTORY_OWNED) claim->info = cell->note.clock;
    atomic_store(&cell->asks, 0);
    claim->moved = true;
    claim->then = CLAIM_ROUND;
    claim->at = CLAIM_RECEIVE;
  } else if ((asks & 0xff) == CELL_ASKED && !IS_LATE(claim) && hold(d, target)) {
    claim->source = (uint16_t)target;
    claim->moved = true;
    claim->at = CLAIM_HELD;
  } else {
    claim->cell++;
  }
  return DIRECTORY_AGAIN;
}

/* The target cannot answer now but through me. It may have, before it parked. */
static enum directory_result begin_held(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  unsigned target = claim->source;
  atomic_fetch_and(&d->slot[target].asked[me / 64], ~(1UL << me % 64));
  claim->at = CLAIM_RELEASE;
  if (atomic_load_explicit(&d->slot[me].cell[claim->cell].asks, memory_order_acquire) ==
      cell_word(target, CELL_ASKED)) {
    claim->serve.as = (uint16_t)target;
    claim->serve.asker = (uint16_t)me;
    claim->serve.cell = claim->cell;
    directory_serve_begin(d, &claim->serve);
    claim->at = CLAIM_HELD_SERVE;
  }
  return DIRECTORY_AGAIN;
}

static enum directory_result release(const struct directory *d, struct directory_claim *claim) {
  if (!ORDER_WRONG(WRONG_NO_CAS)) atomic_store(&d->slot[claim->source].state, DIRECTORY_PARKED);
  claim->at = CLAIM_RELEASE_WAKE;
  return DIRECTORY_AGAIN;
}

/* The target may be waiting to run on, others to hold it. */
static enum directory_result release_wake(const struct directory *d, struct directory_claim *claim) {
  const struct directory_slot *target = &d->slot[claim->source];
  for (unsigned i = 0; i < (ORDER_SLOTS + 63) / 64; i++)
    for (uint64_t asked = atomic_load(&target->asked[i]); asked; asked &= asked - 1)
      notify(d, i * 64 + (unsigned)__builtin_ctzll(asked));
  notify(d, claim->source);
  claim->at = CLAIM_ROUND; /* the same cell: answered now */
  return DIRECTORY_AGAIN;
}

/* A read of what somebody wrote who owns it no more: the answer with that edge went to another reader. */
static enum directory_result lock_writer(const struct directory *d, unsigned me,
                                         struct directory_claim *claim) {
  enum directory_mode mode = word_mode(claim->word);
  unsigned who = word_field(claim->word, WORD_WHO);
  bool shared = mode == DIRECTORY_SHARED || mode == DIRECTORY_MANY;
  if (wanted(claim) != ORDER_READ || !shared || !who || who == me + 1 || ORDER_WRONG(WRONG_NO_WRITER_EDGE)) {
    claim->at = CLAIM_GRANT;
    return DIRECTORY_AGAIN;
  }
  claim->source = (uint16_t)(who - 1);
  if (TORN_READ(d, claim) || lock_recorder(d, claim->source)) claim->at = CLAIM_WRITER_ASK;
  return DIRECTORY_AGAIN;
}

static enum directory_result ask_writer(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  struct order_ask ask = {.block = claim->block, .want = ORDER_READ, .from = (uint16_t)me};
  struct order_recorder *writer = d->order->scheme->asks_writer ? &d->slot[claim->source].recorder : NULL;
  bool torn = TORN_WRITE(d, claim);
  d->order->scheme->registered(d->order, writer, &ask, *d->place(d, claim->block).info, &claim->note);
  if (!torn) unlock_recorder(d, claim->source);
  /* It does not know yet that its episode is waited for: let it come by, and end it if it is long. */
  if (writer && claim->note.kind == ORDER_EDGE) d->kick(d, claim->source);
  claim->then = CLAIM_GRANT;
  claim->at = CLAIM_RECEIVE;
  return DIRECTORY_AGAIN;
}

static enum directory_result receive(const struct directory *d, unsigned me, struct directory_claim *claim) {
  d->order->scheme->receive(d->order, &d->slot[me].recorder, claim->source, &claim->note);
  unlock_recorder(d, me);
  claim->at = claim->then;
  return DIRECTORY_AGAIN;
}

static enum directory_result granted_one(const struct directory *d, unsigned me,
                                         struct directory_claim *claim) {
  claim->at = CLAIM_GRANT;
  if (claim->along)
    claim->along &= claim->along - 1;
  else
    advance(d, me, claim);
  return DIRECTORY_AGAIN;
}

/* Those that come along first, at last the one that is claimed. */
static uint64_t next_to_grant(const struct directory_claim *claim) {
  return claim->along ? group_first(claim->block, claim->along) : claim->block;
}

/* One block a step. */
static enum directory_result grant(const struct directory *d, unsigned me, struct directory_claim *claim) {
  uint64_t block = next_to_grant(claim);
  struct directory_place place = d->place(d, block);
  unsigned permission;
  uint64_t before = atomic_load_explicit(place.word, memory_order_relaxed);
  uint64_t word = granted(before & ~(uint64_t)(WORD_LOCKED | WORD_CONTENDED), me, wanted(claim), &permission);
  if (word_mode(before) == DIRECTORY_OWNED && word_mode(word) != DIRECTORY_OWNED) *place.info = claim->info;
  d->permit(d, me, block, permission);
  if (d->order->options.filter)
    d->order->scheme->touch(d->order, &d->slot[me].recorder, block, (enum order_want)wanted(claim));
  uint64_t old = atomic_exchange(place.word, word);
  claim->at = CLAIM_GRANT_WAKE;
  return old & WORD_CONTENDED ? DIRECTORY_AGAIN : granted_one(d, me, claim);
}

static enum directory_result grant_wake(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  tell_waiters(d, next_to_grant(claim));
  return granted_one(d, me, claim);
}

bool directory_claim_abandon(const struct directory *d, unsigned me, const struct directory_claim *claim) {
  struct directory_slot *slot = &d->slot[me];
  if (claim->at != CLAIM_LOCK && claim->at != CLAIM_ROUND) return false;
  if (claim->at == CLAIM_ROUND) { /* it has asked, and has the entry's lock */
    for (unsigned i = 0; i < DIRECTORY_BATCH; i++) atomic_store(&slot->cell[i].asks, 0);
    uint64_t old =
        atomic_fetch_and(d->place(d, claim->block).word, ~(uint64_t)(WORD_LOCKED | WORD_CONTENDED));
    if (old & WORD_CONTENDED) tell_waiters(d, claim->block);
  }
  directory_unpin(d, me);
  return true;
}

enum directory_result directory_claim_step(const struct directory *d, unsigned me,
                                           struct directory_claim *claim) {
  switch (claim->at) {
    case CLAIM_NEXT:
      return next_block(d, me, claim);
    case CLAIM_LOCK:
      return lock_entry(d, me, claim);
    case CLAIM_LOCK_SERVE:
      return serve_meanwhile(d, me, claim, CLAIM_LOCK);
    case CLAIM_ALONG:
      return read_along(d, me, claim);
    case CLAIM_ASK:
      return ask_next(d, me, claim);
    case CLAIM_ASK_MARK:
      return ask_mark(d, me, claim);
    case CLAIM_ROUND:
      return look_at_cell(d, me, claim);
    case CLAIM_ROUND_SERVE:
      return serve_meanwhile(d, me, claim, CLAIM_ROUND);
    case CLAIM_HELD:
      return begin_held(d, me, claim);
    case CLAIM_HELD_SERVE:
      if (directory_serve_one(d, &claim->serve) == DIRECTORY_DONE) {
        directory_serve_start(&claim->serve);
        claim->at = CLAIM_RELEASE;
      }
      return DIRECTORY_AGAIN;
    case CLAIM_RELEASE:
      return release(d, claim);
    case CLAIM_RELEASE_WAKE:
      return release_wake(d, claim);
    case CLAIM_WRITER:
      return lock_writer(d, me, claim);
    case CLAIM_WRITER_ASK:
      return ask_writer(d, me, claim);
    case CLAIM_RECEIVE:
      if (lock_recorder(d, me)) claim->at = CLAIM_RECEIVED;
      return DIRECTORY_AGAIN;
    case CLAIM_RECEIVED:
      return receive(d, me, claim);
    case CLAIM_GRANT:
      return grant(d, me, claim);
    default:
      return grant_wake(d, me, claim);
  }
}

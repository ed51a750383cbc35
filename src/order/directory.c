/* directory.c: the side of the hand-over protocol that takes: from a miss to the grant. See directory.h.
 *
 * Between the steps of one thread any steps of others may come. */
#include "order/directory.h"

#include "order/directory_steps.h"
#include "order/sets.h"
#include "order/wrong.h"

/* -- Claiming ---------------------------------------------------------------------------------------------------------- */

/* Not all of it is set: most of a claim is never looked at. */
void directory_claim_start(struct directory_claim *claim) {
  claim->at = CLAIM_NEXT;
  claim->count = 0;
  claim->group = claim->locked = claim->takes = 0;
  claim->revoke = claim->moved = false;
  claim->cell = claim->then = claim->brought = 0;
  claim->source = 0;
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
  claim->group = ranges[0].first / DIRECTORY_GROUP;
  return true;
}

void directory_unpin(const struct directory *d, unsigned me) {
  d->slot[me].pins = 0;
}

/* Others wait for what I have of the claim below that block until the access is done. */
static void pin_below(const struct directory *d, unsigned me, const struct directory_claim *claim,
                      uint64_t block) {
  struct directory_slot *slot = &d->slot[me];
  slot->pins = 0;
  for (unsigned i = 0; i < claim->count && claim->ranges[i].first < block; i++) {
    slot->pin[i] = claim->ranges[i];
    if (slot->pin[i].end > block) slot->pin[i].end = block;
    slot->pins = ORDER_WRONG(WRONG_TWO_STEPS) ? 0 : i + 1;
  }
}

/* The blocks of the group that the claim needs and its thread lacks, and the access it needs them for. With filters, or last accesses, an answer is about one block. */
static uint64_t find_need(const struct directory *d, unsigned me, const struct directory_claim *claim,
                          enum order_want *want) {
  const struct order_options *options = &d->order->options;
  uint64_t need = 0, to_write = 0;
  for (unsigned i = 0; i < claim->count; i++) {
    uint64_t part = group_part(claim->group, &claim->ranges[i]);
    if (part) part &= ~d->held(d, me, claim->group, part, claim->want[i]);
    need |= part;
    if (claim->want[i] == ORDER_WRITE) to_write |= part;
  }
  if (claim->revoke && need) need &= directory_touched(d, claim->group);
  if (options->filter || options->last_access) need &= -need;
  *want = need & to_write ? ORDER_WRITE : ORDER_READ;
  return need;
}

/* The next group that the claim has to do with; false if there is none. */
static bool next_group(struct directory_claim *claim) {
  for (unsigned i = 0; i < claim->count; i++) {
    uint64_t last = (claim->ranges[i].end - 1) / DIRECTORY_GROUP;
    if (last <= claim->group) continue;
    uint64_t first = claim->ranges[i].first / DIRECTORY_GROUP;
    claim->group = first > claim->group ? first : claim->group + 1;
    return true;
  }
  return false;
}

static uint64_t find_along(const struct directory *d, unsigned me, const struct directory_claim *claim,
                           uint64_t need, enum order_want want) {
  const struct order_options *options = &d->order->options;
  if (!d->along || claim->revoke || options->filter || options->last_access) return 0;
  uint64_t along = d->along(d, me, claim->group, need, want) & GROUP_ALL & ~need;
  return along & ~d->held(d, me, claim->group, along, want);
}

/* Of the groups behind this one: those that the claim needs, and perhaps more. */
static void find_further(const struct directory *d, unsigned me, const struct directory_claim *claim) {
  enum { MOST = 255 };
  const struct order_options *options = &d->order->options;
  struct directory_slot *slot = &d->slot[me];
  slot->further = 0;
  if (!d->further || claim->revoke || options->filter || options->last_access) return;
  uint64_t known = 0;
  for (unsigned i = 0; i < claim->count; i++) {
    uint64_t last = (claim->ranges[i].end - 1) / DIRECTORY_GROUP;
    if (claim->ranges[i].first / DIRECTORY_GROUP <= claim->group && last > claim->group)
      known = last - claim->group;
  }
  slot->further =
      (uint8_t)d->further(d, me, claim->group, (unsigned)(known < MOST ? known : MOST), &slot->walk);
}

/* To where I do not have what I need. Only I change what I have. */
static enum directory_result next_need(const struct directory *d, unsigned me,
                                       struct directory_claim *claim) {
  do {
    enum order_want want;
    uint64_t need = find_need(d, me, claim, &want);
    if (!need) continue;
    struct directory_slot *slot = &d->slot[me];
    slot->group = claim->group;
    slot->need = need;
    slot->want = (uint8_t)want;
    slot->blocks = need | find_along(d, me, claim, need, want);
    find_further(d, me, claim);
    claim->at = CLAIM_LOCK;
    return DIRECTORY_AGAIN;
  } while (next_group(claim));
  pin_below(d, me, claim, UINT64_MAX);
  return DIRECTORY_DONE;
}

static bool waits_for(const struct directory *d, unsigned slot, uint64_t group) {
  return atomic_load(&d->slot[slot].wants) == (uint32_t)group + 1 && (!d->near || d->near(d, slot));
}

static uint64_t mark_of(unsigned slot) {
  return 1UL << slot % 64;
}

/* Wakes waiting threads whose needs do not overlap, the next slots first. The others are woken when these unlock. So a thread's mark stays as long as
 * the thread waits; a thread sets its mark before it looks who has the locks, so the holder sees the mark. If a thread's need changes, it sets its mark again and looks again. */
void directory_tell_waiters(const struct directory *d, unsigned me, uint64_t number) {
  struct directory_group *group = d->group(d, number);
  unsigned slots = atomic_load(d->slots);
  uint64_t marked = atomic_exchange(&group->awaited, 0), waiting = 0;
  for (unsigned slot = 0; marked && slot < slots; slot++)
    if (marked & mark_of(slot) && waits_for(d, slot, number)) waiting |= mark_of(slot);
  if (!waiting) return;
  atomic_fetch_or(&group->awaited, waiting);
  uint64_t locked = atomic_load(&group->locked);
  for (unsigned i = 1; i <= slots; i++) {
    unsigned slot = (me + i) % slots;
    if (!(waiting & mark_of(slot)) || !waits_for(d, slot, number)) continue;
    uint64_t need = atomic_load_explicit(&d->slot[slot].need, memory_order_relaxed);
    if (need & locked) continue;
    locked |= need;
    notify(d, slot);
  }
}

/* Takes the locks of all that is needed, or none. At first it leaves a mark that somebody waits, and before it who, and looks again. */
static enum directory_result lock_blocks(const struct directory *d, unsigned me,
                                         struct directory_claim *claim) {
  struct directory_group *group = d->group(d, claim->group);
  struct directory_slot *slot = &d->slot[me];
  if (claim->at == CLAIM_LOCK) claim->seen = atomic_load(&slot->events);
  uint64_t now = atomic_load(&group->locked);
  if (now & slot->need) {
    if (claim->at == CLAIM_LOCK) {
      atomic_store(&slot->wants, (uint32_t)claim->group + 1);
      atomic_fetch_or(&group->awaited, mark_of(me));
      claim->at = CLAIM_LOCK_MARKED;
    } else {
      pin_below(d, me, claim,
                ORDER_WRONG(WRONG_PINS_EARLY) ? group_first(claim->group, slot->need)
                                              : claim->group * DIRECTORY_GROUP);
      claim->at = CLAIM_LOCK_SERVE;
    }
    return DIRECTORY_AGAIN;
  }
  claim->locked = slot->blocks & ~now;
  uint64_t locks = ORDER_WRONG(WRONG_ALONG_UNLOCKED) ? slot->need : claim->locked;
  if (!atomic_compare_exchange_strong(&group->locked, &now, now | locks)) return DIRECTORY_AGAIN;
  if (atomic_load_explicit(&slot->wants, memory_order_relaxed)) atomic_store(&slot->wants, 0);
  pin_below(d, me, claim, ORDER_WRONG(WRONG_PINS_ALL) ? UINT64_MAX : group_first(claim->group, slot->need));
  directory_find_targets(d, me, claim);
  slot->blocks = claim->takes;
  unsigned target = set_next(&claim->targets, 0);
  bool alone = target >= ORDER_SLOTS, several = !alone && set_next(&claim->targets, target + 1) < ORDER_SLOTS;
  if (several) slot->further = 0;
  claim->brought = 0;
  claim->cell = 0;
  claim->at = alone && slot->further ? CLAIM_BRING : CLAIM_ASK;
  return DIRECTORY_AGAIN;
}

/* One more part, if it looks as if that could be had without asking. */
static enum directory_result bring(const struct directory *d, unsigned me, struct directory_claim *claim) {
  const struct directory_slot *slot = &d->slot[me];
  bool more = claim->brought < slot->further &&
              directory_is_free(d, further_part(slot, claim->brought + 1u), slot->want);
  claim->at = more ? CLAIM_BRING_LOCK : CLAIM_ASK;
  return DIRECTORY_AGAIN;
}

static enum directory_result bring_lock(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  bool locked = lock_part(d, further_part(&d->slot[me], claim->brought + 1u));
  claim->at = locked ? CLAIM_BRING_LOCKED : CLAIM_ASK;
  return DIRECTORY_AGAIN;
}

/* It may have changed before it was locked. */
static enum directory_result bring_locked(const struct directory *d, unsigned me,
                                          struct directory_claim *claim) {
  struct directory_part part = further_part(&d->slot[me], claim->brought + 1u);
  if (directory_is_free(d, part, d->slot[me].want) || ORDER_WRONG(WRONG_BROUGHT_BLIND)) {
    directory_add_writers(d, me, claim, part);
    claim->brought++;
    claim->at = CLAIM_BRING;
  } else {
    unlock_part(d, part);
    claim->at = CLAIM_BRING_REFUSED;
  }
  return DIRECTORY_AGAIN;
}

/* Somebody may have waited meanwhile. */
static enum directory_result bring_refused(const struct directory *d, unsigned me,
                                           struct directory_claim *claim) {
  if (!ORDER_WRONG(WRONG_BROUGHT_QUIET))
    directory_tell_waiters(d, me, further_part(&d->slot[me], claim->brought + 1u).group);
  claim->at = CLAIM_ASK;
  return DIRECTORY_AGAIN;
}

void directory_take_untouched(const struct directory *d, unsigned me, uint64_t number) {
  struct directory_group *group = d->group(d, number);
  if (atomic_load_explicit(&group->word, memory_order_relaxed)) return;
  uint64_t blocks = GROUP_ALL & ~atomic_load(&group->split), now = atomic_load(&group->locked);
  if (!blocks || now & blocks || !atomic_compare_exchange_strong(&group->locked, &now, now | blocks)) return;
  if (!atomic_load(&group->word) && blocks == (GROUP_ALL & ~atomic_load(&group->split))) {
    atomic_store(&group->word, make_word(DIRECTORY_OWNED, me + 1));
    d->permit(d, me, number, blocks, ORDER_WRITE);
  }
  atomic_fetch_and(&group->locked, ~blocks);
  if (atomic_load(&group->awaited)) directory_tell_waiters(d, me, number);
}

/* Serves until there is nothing to; then on. Waits if nothing happened since `seen`; to put somebody off is nothing. */
static enum directory_result serve_meanwhile(const struct directory *d, unsigned me,
                                             struct directory_claim *claim, enum claim_at then) {
  claim->moved |= claim->serve.at == SERVE_ANSWER;
  if (!ORDER_WRONG(WRONG_DEAF) && directory_serve_step(d, me, &claim->serve) != DIRECTORY_DONE)
    return DIRECTORY_AGAIN;
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
  struct directory_cell *cell = &d->slot[me].cell[claim->cell++];
  cell->note.kind = ORDER_NO_EDGE;
  atomic_store_explicit(&cell->asks, cell_word(target, CELL_ASKED), memory_order_release);
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

static bool hold(const struct directory *d, unsigned me, unsigned slot) {
  if (atomic_load(&d->slot[slot].state) != DIRECTORY_PARKED) return false;
  return ORDER_WRONG(WRONG_NO_CAS) || change_state(d, slot, DIRECTORY_PARKED, directory_held_by(me));
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
    claim->brought = (uint8_t)cell->brought;
    for (unsigned n = 1; n <= claim->brought && !ORDER_WRONG(WRONG_LEFT_FURTHER); n++)
      directory_add_leavers(d, me, claim, further_part(&d->slot[me], n));
    claim->info = cell->note.clock;
    if (!ORDER_WRONG(WRONG_KEPT_TAKEN)) claim->takes &= ~cell->kept;
    atomic_store(&cell->asks, 0);
    claim->moved = true;
    claim->then = CLAIM_ROUND;
    claim->at = CLAIM_RECEIVE;
  } else if ((asks & 0xff) == CELL_ASKED && !IS_LATE(claim) && hold(d, me, target)) {
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
    claim->serve.at = SERVE_LOCK;
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
  for (unsigned i = 0, words = directory_asked_words(d); i < words; i++)
    for (uint64_t asked = atomic_load(&target->asked[i]); asked; asked &= asked - 1)
      notify(d, i * 64 + (unsigned)__builtin_ctzll(asked));
  notify(d, claim->source);
  claim->at = CLAIM_ROUND; /* the same cell: answered now */
  return DIRECTORY_AGAIN;
}

/* A read of what somebody wrote who owns it no more: the answer with that edge went to another reader. */
static enum directory_result lock_writer(const struct directory *d, struct directory_claim *claim) {
  unsigned writer = set_next(&claim->writers, 0);
  if (writer >= ORDER_SLOTS || ORDER_WRONG(WRONG_NO_WRITER_EDGE)) {
    claim->at = CLAIM_GRANT;
    return DIRECTORY_AGAIN;
  }
  claim->source = (uint16_t)writer;
  if (TORN_READ(d, claim) || !d->order->scheme->asks_writer || lock_recorder(d, claim->source))
    claim->at = CLAIM_WRITER_ASK;
  return DIRECTORY_AGAIN;
}

static enum directory_result ask_writer(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  uint64_t block = group_first(claim->group, d->slot[me].need);
  struct order_ask ask = {.block = block, .want = ORDER_READ, .from = (uint16_t)me};
  struct order_recorder *writer = d->order->scheme->asks_writer ? &d->slot[claim->source].recorder : NULL;
  bool torn = TORN_WRITE(d, claim);
  d->order->scheme->registered(d->order, writer, &ask, directory_info(d, me, claim, claim->source),
                               &claim->note);
  set_remove(&claim->writers, claim->source);
  if (writer && !torn) unlock_recorder(d, claim->source);
  /* It does not know yet that its episode is waited for: let it come by, and end it if it is long. */
  if (writer && claim->note.kind == ORDER_EDGE) d->kick(d, claim->source);
  claim->then = CLAIM_WRITER;
  claim->at = CLAIM_RECEIVE;
  return DIRECTORY_AGAIN;
}

static enum directory_result receive(const struct directory *d, unsigned me, struct directory_claim *claim) {
  d->order->scheme->receive(d->order, &d->slot[me].recorder, claim->source, &claim->note);
  unlock_recorder(d, me);
  if (claim->then == CLAIM_ROUND && d->slot[me].want == ORDER_READ)
    directory_disown(d, claim, claim->source, claim->note.clock);
  claim->at = claim->then;
  return DIRECTORY_AGAIN;
}

/* All at once: nobody can tell before the locks are free. */
static enum directory_result grant(const struct directory *d, unsigned me, struct directory_claim *claim) {
  const struct directory_slot *slot = &d->slot[me];
  struct directory_group *group = d->group(d, claim->group);
  directory_grant(d, me, claim);
  d->permit(d, me, claim->group, claim->takes, slot->want);
  if (d->order->options.filter)
    d->order->scheme->touch(d->order, &d->slot[me].recorder, group_first(claim->group, slot->need),
                            (enum order_want)slot->want);
  atomic_fetch_and(&group->locked, ~claim->locked);
  claim->at = atomic_load(&group->awaited) ? CLAIM_GRANTED : claim->brought ? CLAIM_FURTHER : CLAIM_NEXT;
  return DIRECTORY_AGAIN;
}

static enum directory_result grant_wake(const struct directory *d, unsigned me,
                                        struct directory_claim *claim) {
  directory_tell_waiters(d, me, claim->group);
  claim->at = claim->brought ? CLAIM_FURTHER : CLAIM_NEXT;
  return DIRECTORY_AGAIN;
}

/* The last of those that were brought. */
static enum directory_result grant_further(const struct directory *d, unsigned me,
                                           struct directory_claim *claim) {
  const struct directory_slot *slot = &d->slot[me];
  struct directory_part part = further_part(slot, claim->brought);
  directory_grant_part(d, me, part, claim->info);
  d->permit(d, me, part.group, part.blocks, slot->want);
  unlock_part(d, part);
  claim->at = CLAIM_FURTHER_GRANTED;
  return DIRECTORY_AGAIN;
}

static enum directory_result further_wake(const struct directory *d, unsigned me,
                                          struct directory_claim *claim) {
  uint64_t number = further_part(&d->slot[me], claim->brought).group;
  if (atomic_load(&d->group(d, number)->awaited) && !ORDER_WRONG(WRONG_FURTHER_QUIET))
    directory_tell_waiters(d, me, number);
  claim->at = --claim->brought ? CLAIM_FURTHER : CLAIM_NEXT;
  return DIRECTORY_AGAIN;
}

bool directory_claim_abandon(const struct directory *d, unsigned me, const struct directory_claim *claim) {
  struct directory_slot *slot = &d->slot[me];
  if (claim->at != CLAIM_LOCK && (claim->at != CLAIM_ROUND || slot->further)) return false;
  atomic_store(&slot->wants, 0);
  if (claim->at == CLAIM_ROUND) { /* it has asked, and has the locks */
    struct directory_group *group = d->group(d, claim->group);
    for (unsigned i = 0; i < DIRECTORY_BATCH; i++) atomic_store(&slot->cell[i].asks, 0);
    if (!ORDER_WRONG(WRONG_ABANDONED_LOCKS)) atomic_fetch_and(&group->locked, ~claim->locked);
  }
  directory_tell_waiters(d, me, claim->group);
  directory_unpin(d, me);
  return true;
}

enum directory_result directory_claim_step(const struct directory *d, unsigned me,
                                           struct directory_claim *claim) {
  switch (claim->at) {
    case CLAIM_NEXT:
      return next_need(d, me, claim);
    case CLAIM_LOCK:
    case CLAIM_LOCK_MARKED:
      return lock_blocks(d, me, claim);
    case CLAIM_LOCK_SERVE: /* what I need may be more then */
      return serve_meanwhile(d, me, claim, CLAIM_NEXT);
    case CLAIM_BRING:
      return bring(d, me, claim);
    case CLAIM_BRING_LOCK:
      return bring_lock(d, me, claim);
    case CLAIM_BRING_LOCKED:
      return bring_locked(d, me, claim);
    case CLAIM_BRING_REFUSED:
      return bring_refused(d, me, claim);
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
      return lock_writer(d, claim);
    case CLAIM_WRITER_ASK:
      return ask_writer(d, me, claim);
    case CLAIM_RECEIVE:
      if (lock_recorder(d, me)) claim->at = CLAIM_RECEIVED;
      return DIRECTORY_AGAIN;
    case CLAIM_RECEIVED:
      return receive(d, me, claim);
    case CLAIM_GRANT:
      return grant(d, me, claim);
    case CLAIM_GRANTED:
      return grant_wake(d, me, claim);
    case CLAIM_FURTHER:
      return grant_further(d, me, claim);
    default:
      return further_wake(d, me, claim);
  }
}

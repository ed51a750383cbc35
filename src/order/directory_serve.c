/* directory_serve.c: the side of the hand-over protocol that gives: answering requests, and parking, so that others can. See
 * directory.h. */
#include "order/directory.h"
#include "order/directory_steps.h"
#include "order/sets.h"
#include "order/wrong.h"

/* -- Answering ----------------------------------------------------------------------------------------------------------- */

/* Reduces the permissions of `as` for the requested blocks. It keeps those that it has pinned and the requester can do without. A requester that
 * has left this address space, or forked off, has other blocks than these. */
static void give_up(const struct directory *d, const struct directory_serve *serve) {
  const struct directory_slot *asker = &d->slot[serve->asker];
  uint64_t kept = asker->blocks & ~asker->need & pinned(&d->slot[serve->as], asker->group);
  bool writes = asker->want == ORDER_WRITE;
  d->slot[serve->asker].cell[serve->cell].kept = kept;
  if (d->near && !d->near(d, serve->asker)) return;
  uint64_t had =
      d->held(d, serve->as, asker->group, asker->blocks & ~kept, writes ? ORDER_READ : ORDER_WRITE);
  if (had) d->permit(d, serve->as, asker->group, had, writes ? 0 : ORDER_READ);
}

/* A thread that was killed while it answered may have made the edge without saying so: that edge stays, and the rest of its answer is made now. (Its cell was
 * empty when it was asked.) */
static void reply(const struct directory *d, const struct directory_serve *serve, struct order_note *note) {
  const struct directory_slot *asker = &d->slot[serve->asker];
  struct order_recorder *as = &d->slot[serve->as].recorder;
  struct order_ask ask = {
      .block = group_first(asker->group, asker->need), .want = asker->want, .from = serve->asker};
  struct order_note again;
  bool made = d->order->scheme->asks_writer && note->kind == ORDER_EDGE;
  if (!made || as->now.clock == note->clock)
    d->order->scheme->reply(d->order, as, &ask, made ? &again : note);
}

/* The next further part, as long as there is one that seems to be had. */
static bool has_further(const struct directory *d, const struct directory_serve *serve) {
  const struct directory_slot *asker = &d->slot[serve->asker];
  if (serve->brought == asker->further || (d->near && !d->near(d, serve->asker))) return false;
  struct directory_part part = further_part(asker, serve->brought + 1);
  return directory_has_alone(d, part, serve->as, serve->asker, asker->want) &&
         (!(pinned(&d->slot[serve->as], part.group) & part.blocks) || ORDER_WRONG(WRONG_FURTHER_PINNED));
}

/* The locks are the asker's in the end. */
static bool lock_further(const struct directory *d, const struct directory_serve *serve) {
  return lock_part(d, further_part(&d->slot[serve->asker], serve->brought + 1));
}

/* It may have changed before it was locked. */
static void give_further(const struct directory *d, struct directory_serve *serve) {
  const struct directory_slot *asker = &d->slot[serve->asker];
  struct directory_part part = further_part(asker, serve->brought + 1);
  bool writes = asker->want == ORDER_WRITE;
  if (!directory_has_alone(d, part, serve->as, serve->asker, asker->want) &&
      !ORDER_WRONG(WRONG_FURTHER_BLIND)) {
    unlock_part(d, part);
    serve->at = SERVE_FURTHER_REFUSED;
    return;
  }
  uint64_t had = d->held(d, serve->as, part.group, part.blocks, writes ? ORDER_READ : ORDER_WRITE);
  if (had) d->permit(d, serve->as, part.group, had, writes ? 0 : ORDER_READ);
  serve->brought++;
  serve->at = SERVE_FURTHER;
}

enum directory_result directory_serve_one(const struct directory *d, struct directory_serve *serve) {
  struct directory_slot *as = &d->slot[serve->as], *asker = &d->slot[serve->asker];
  struct directory_cell *cell = &asker->cell[serve->cell];
  switch (serve->at) {
    case SERVE_LOCK:
      if (lock_recorder(d, serve->as)) serve->at = SERVE_REPLY;
      return DIRECTORY_AGAIN;
    case SERVE_REPLY: /* under the lock; permissions are seen by nobody else */
      reply(d, serve, &cell->note);
      give_up(d, serve);
      as->lost++;
      unlock_recorder(d, serve->as);
      serve->brought = 0;
      serve->at = asker->further ? SERVE_FURTHER : SERVE_ANSWER;
      return DIRECTORY_AGAIN;
    case SERVE_FURTHER: /* nothing is executed for `as` since the reply, which is good for these, too */
      serve->at = has_further(d, serve) ? SERVE_FURTHER_LOCK : SERVE_ANSWER;
      return DIRECTORY_AGAIN;
    case SERVE_FURTHER_LOCK:
      serve->at = lock_further(d, serve) ? SERVE_FURTHER_LOCKED : SERVE_ANSWER;
      return DIRECTORY_AGAIN;
    case SERVE_FURTHER_LOCKED:
      give_further(d, serve);
      return DIRECTORY_AGAIN;
    case SERVE_FURTHER_REFUSED: /* somebody may have waited meanwhile */
      directory_tell_waiters(d, serve->as, further_part(asker, serve->brought + 1).group);
      serve->at = SERVE_ANSWER;
      return DIRECTORY_AGAIN;
    default: /* the hand-over: what `as` wrote to the block is before what the asker does with it */
      cell->brought = serve->brought;
      atomic_store_explicit(&cell->asks, cell_word(serve->as, CELL_ANSWERED), memory_order_release);
      notify(d, serve->asker);
      serve->at = SERVE_LOOK;
      return DIRECTORY_DONE;
  }
}

static bool find_cell(const struct directory *d, unsigned me, struct directory_serve *serve) {
  for (unsigned i = 0; i < DIRECTORY_BATCH; i++)
    if (atomic_load_explicit(&d->slot[serve->asker].cell[i].asks, memory_order_acquire) ==
        cell_word(me, CELL_ASKED)) {
      serve->as = (uint16_t)me, serve->cell = (uint16_t)i;
      return true;
    }
  return false;
}

/* Somebody has asked and was not put off in this pass: its mark is taken away and it is looked into. */
static bool find_asker(const struct directory *d, const struct directory_slot *slot,
                       struct directory_serve *serve) {
  for (unsigned i = 0, words = directory_asked_words(d); i < words; i++) {
    uint64_t asked = atomic_load(&slot->asked[i]) & ~(serve->puts_off ? set_word(&serve->seen, i) : 0);
    if (!asked) continue;
    serve->asker = (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(asked));
    return true;
  }
  return false;
}

static void put_off(struct directory_serve *serve) {
  if (!serve->puts_off) set_clear(&serve->seen);
  serve->puts_off = true;
  set_add(&serve->seen, serve->asker);
}

enum directory_result directory_serve_step(const struct directory *d, unsigned me,
                                           struct directory_serve *serve) {
  struct directory_slot *slot = &d->slot[me];
  _Atomic uint64_t *asked = &slot->asked[serve->asker / 64];
  uint64_t bit = 1UL << serve->asker % 64;
  switch (serve->at) {
    case SERVE_LOOK:
      if (!find_asker(d, slot, serve)) {
        directory_serve_start(serve);
        return DIRECTORY_DONE;
      }
      atomic_fetch_and(&slot->asked[serve->asker / 64], ~(1UL << serve->asker % 64));
      serve->at = SERVE_FIND;
      return DIRECTORY_AGAIN;
    case SERVE_FIND: /* the mark may be left from a request that was answered on our behalf: then there is none */
      serve->at = SERVE_LOOK;
      if (!find_cell(d, me, serve)) return DIRECTORY_AGAIN;
      if (pinned(slot, d->slot[serve->asker].group) & d->slot[serve->asker].need) {
        put_off(serve);
        atomic_fetch_or(asked, bit);
        return DIRECTORY_AGAIN;
      }
      serve->at = SERVE_LOCK;
      return DIRECTORY_AGAIN;
    default:
      directory_serve_one(d, serve);
      return DIRECTORY_AGAIN;
  }
}

/* -- Leaving ------------------------------------------------------------------------------------------------------------ */

/* The info of blocks that are left: where their owner is done with them. Schemes with asks_writer read it from the recorder instead. */
static uint64_t last_words(const struct directory *d, unsigned me, struct directory_part part) {
  struct order_ask ask = {
      .block = group_first(part.group, part.blocks), .want = ORDER_WRITE, .from = (uint16_t)me};
  struct order_note note;
  if (d->order->scheme->asks_writer) return 0;
  d->order->scheme->end(d->order, &d->slot[me].recorder);
  d->order->scheme->reply(d->order, &d->slot[me].recorder, &ask, &note);
  return note.clock;
}

static void leave_blocks(const struct directory *d, unsigned me, struct directory_part part) {
  part.blocks = directory_owned_by(d, me, part.group, part.blocks);
  if (!part.blocks) return;
  directory_set_left(d, me, part, last_words(d, me, part));
  d->permit(d, me, part.group, part.blocks, 0);
  d->slot[me].lost++;
}

enum directory_result directory_leave_step(const struct directory *d, unsigned me,
                                           struct directory_leaving *leaving) {
  const struct order_options *options = &d->order->options;
  struct directory_part *part = &leaving->part;
  struct directory_group *group = d->group(d, part->group);
  switch (leaving->at) {
    case LEAVE_LOCK:
      part->blocks &= ~(atomic_load(&group->locked) | pinned(&d->slot[me], part->group));
      if (options->filter || options->last_access) part->blocks &= -part->blocks;
      if (!part->blocks || !lock_part(d, *part)) return DIRECTORY_DONE;
      leaving->at = LEAVE_RECORDER;
      return DIRECTORY_AGAIN;
    case LEAVE_RECORDER:
      if (lock_recorder(d, me)) leaving->at = LEAVE_SET;
      return DIRECTORY_AGAIN;
    case LEAVE_SET: /* seen by nobody before the blocks are unlocked */
      leave_blocks(d, me, *part);
      unlock_recorder(d, me);
      leaving->at = LEAVE_UNLOCK;
      return DIRECTORY_AGAIN;
    case LEAVE_UNLOCK:
      unlock_part(d, *part);
      leaving->at = LEAVE_TELL;
      return DIRECTORY_AGAIN;
    default:
      if (atomic_load(&group->awaited) && !ORDER_WRONG(WRONG_LEFT_QUIET))
        directory_tell_waiters(d, me, part->group);
      return DIRECTORY_DONE;
  }
}

/* -- Parking ----------------------------------------------------------------------------------------------------------- */

/* A requester that asked before it could see that I am parked may sleep, and no other thread wakes it: so look once more afterwards. A thread that
 * holds me then wakes all when it lets go. */
static enum directory_result check_parked(const struct directory *d, unsigned me,
                                          struct directory_parking *parking) {
  if (!directory_is_asked(d, &d->slot[me]) || !change_state(d, me, DIRECTORY_PARKED, DIRECTORY_RUNNING))
    return DIRECTORY_DONE;
  parking->at = PARK_SERVE_AGAIN;
  return DIRECTORY_AGAIN;
}

static enum directory_result leave(const struct directory *d, unsigned me, struct directory_parking *parking,
                                   void (*tell)(const struct order *, struct order_recorder *)) {
  switch (parking->at) {
    case PARK_SERVE:
    case PARK_SERVE_AGAIN:
      if (directory_serve_step(d, me, &parking->serve) == DIRECTORY_DONE)
        parking->at = parking->at == PARK_SERVE ? PARK_LOCK : PARK_SET;
      return DIRECTORY_AGAIN;
    case PARK_LOCK:
      if (lock_recorder(d, me)) parking->at = PARK_SCHEME;
      return DIRECTORY_AGAIN;
    case PARK_SCHEME:
      tell(d->order, &d->slot[me].recorder);
      unlock_recorder(d, me);
      parking->at = PARK_SET;
      return DIRECTORY_AGAIN;
    case PARK_SET:
      atomic_store(&d->slot[me].state, DIRECTORY_PARKED);
      parking->at = PARK_CHECK;
      return DIRECTORY_AGAIN;
    default:
      return check_parked(d, me, parking);
  }
}

enum directory_result directory_park_step(const struct directory *d, unsigned me,
                                          struct directory_parking *parking) {
  return leave(d, me, parking, order_park);
}

enum directory_result directory_exit_step(const struct directory *d, unsigned me,
                                          struct directory_parking *parking) {
  return leave(d, me, parking, d->order->scheme->exit);
}

static enum directory_result come_back(const struct directory *d, unsigned me,
                                       struct directory_parking *parking) {
  switch (parking->at) {
    case UNPARK_TAKE:
      parking->seen = atomic_load(&d->slot[me].events);
      if (!change_state(d, me, DIRECTORY_PARKED, DIRECTORY_RUNNING)) return DIRECTORY_WAITS;
      parking->at = UNPARK_LOCK;
      return DIRECTORY_AGAIN;
    case UNPARK_LOCK:
      if (lock_recorder(d, me)) parking->at = UNPARK_SCHEME;
      return DIRECTORY_AGAIN;
    default: /* what was asked meanwhile and not answered */
      return directory_serve_step(d, me, &parking->serve);
  }
}

enum directory_result directory_unpark_step(const struct directory *d, unsigned me,
                                            struct directory_parking *parking) {
  if (parking->at != UNPARK_SCHEME) return come_back(d, me, parking);
  order_unpark(d->order, &d->slot[me].recorder);
  unlock_recorder(d, me);
  parking->at = UNPARK_SERVE;
  return DIRECTORY_AGAIN;
}

enum directory_result directory_begin_step(const struct directory *d, unsigned me,
                                           struct directory_parking *parking, unsigned parent,
                                           const struct order_note *in) {
  if (parking->at != UNPARK_SCHEME) return come_back(d, me, parking);
  d->order->scheme->begin(d->order, &d->slot[me].recorder, parent, in);
  unlock_recorder(d, me);
  parking->at = UNPARK_SERVE;
  return DIRECTORY_AGAIN;
}

/* The slot's former thread has ended, so nobody changes its recorder: what is said for it stays true. */
enum directory_result directory_spawn_step(const struct directory *d, unsigned me, unsigned child,
                                           struct order_note *out) {
  struct order_recorder *recorder = &d->slot[me].recorder, *former = &d->slot[child].recorder;
  struct order_note ended = {.kind = ORDER_NO_EDGE};
  if (order_ends(former)) {
    if (!lock_recorder(d, child)) return DIRECTORY_AGAIN;
    order_say_ended(d->order, former, me, &ended);
    unlock_recorder(d, child);
  }
  if (!lock_recorder(d, me)) return DIRECTORY_AGAIN;
  d->order->scheme->receive(d->order, recorder, child, &ended);
  d->order->scheme->spawn(d->order, recorder, child, out);
  unlock_recorder(d, me);
  return DIRECTORY_DONE;
}

enum directory_result directory_end_step(const struct directory *d, unsigned me) {
  if (!lock_recorder(d, me)) return DIRECTORY_AGAIN;
  d->order->scheme->end(d->order, &d->slot[me].recorder);
  unlock_recorder(d, me);
  return DIRECTORY_DONE;
}

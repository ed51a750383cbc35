/* tokens.c: the order scheme `tokens`: Karma's hardware protocol. Episodes ordered as a directed acyclic graph, with wake-up tokens.
 *
 * An episode is a stretch of one thread. PRED are the slots whose episodes come before it, SUCC those that come after:
 * a second edge between the same two is never recorded (Karma, section 4.3, figure 5), so naming the slot is
 * enough: in replay an episode that has ended sends a token to each of SUCC, and takes one from each of PRED before it starts. Timestamps
 * (TS, Lamport's) only tell when an edge might close a cycle; then the receiving episode ends first. They are not logged.
 *
 * Figure 6 holds against reply() and receive() line by line; what differs from it:
 *  - `ts >= TS`, not `>`: with equal timestamps two episodes could each be before the other;
 *  - PRED is a counted set, unless options.single_edges: a second edge from a slot, which has meanwhile ended an episode, is a
 *    second token to take, and not the end of the episode (figure 5(c));
 *  - without options.filter every answer belongs to the current episode: it is later than the block's last access, which
 *    is sound, and an episode can be logged as soon as it has ended. With it (the simulator), previous and current
 *    episode are told apart by the address filter as in the paper;
 *  - who was told where the episode before ended (`told`) is previously ordered until anything happens in this one: a thread that
 *    stands still, parked, ends an episode with each answer that others wait for;
 *  - a dead thread sends no more tokens: who needs its blocks waits for its end.
 *
 * A record: varint(size * 8 + which lists follow), ends, PRED, SUCC; lists as in sets.h, an end with its varint(n). Ends come
 * first because they are waited for first: tokens belong to a slot, and a new thread takes them after the old one. */

#include "order/order.h"
#include "order/sets.h"
#include "order/wrong.h"

enum { HAS_PRED = 1, HAS_SUCC = 2, HAS_ENDS = 4 };

/* -- Logging --------------------------------------------------------------------------------------------------------- */

static size_t encode(const struct order_episode *e, uint8_t *record) {
  struct slot_writer w = {.bytes = record};
  w.count = varint_put(record, e->size << 3 | (e->pred.count ? HAS_PRED : 0) | (e->succ_any ? HAS_SUCC : 0) |
                                   (e->after.count ? HAS_ENDS : 0));
  for (unsigned i = 0; i < e->after.count; i++) {
    put_slot(&w, e->after.slot[i], i + 1 < e->after.count);
    w.count += varint_put(record + w.count, e->after.ends[i]);
  }
  w.last = 0;
  for (unsigned i = 0; i < e->pred.count; i++) put_slot(&w, e->pred.slot[i], i + 1 < e->pred.count);
  w.last = 0;
  for (unsigned slot = set_next(&e->succ, 0), next; slot < ORDER_SLOTS; slot = next) {
    next = set_next(&e->succ, slot + 1);
    put_slot(&w, slot, next < ORDER_SLOTS);
  }
  return w.count;
}

static void log_episode(const struct order *order, const struct order_recorder *me,
                        const struct order_episode *e) {
  uint8_t record[ORDER_RECORD_LARGEST];
  if (!e->size && !e->pred.count && !e->succ_any && !e->after.count) return;
  order->log(order, me->slot, record, encode(e, record));
}

/* Nothing happened in this episode, not even an order: whatever was done before was done in one that has ended. */
static bool is_empty(const struct order_recorder *me) {
  return me->position == me->start && !me->now.pred.count && !me->now.after.count;
}

/* -- Recording (section 4.4, figure 6) --------------------------------------------------------------------------------- */

static void keep_previous(struct order_recorder *me) {
  const struct order_episode *now = &me->now;
  struct order_episode *previous = &me->tokens.previous;
  previous->pred = now->pred;
  previous->after = now->after;
  set_copy(&previous->succ, &now->succ);
  previous->succ_any = now->succ_any;
  previous->exists = true;
  previous->clock = now->clock;
  previous->size = now->size;
}

static void end(const struct order *order, struct order_recorder *me) {
  uint64_t next = me->now.clock + 1;
  bool empty = is_empty(me);
  me->now.size = me->position - me->start;
  start_logging(me, (struct order_next){next, me->logged, me->lives});
  if (order->options.filter) {
    if (me->tokens.previous.exists) log_episode(order, me, &me->tokens.previous);
    keep_previous(me);
    me->tokens.filter = (struct order_filter){0};
  } else {
    log_episode(order, me, &me->now);
  }
  me->start = me->position;
  if (!empty) set_clear(&me->tokens.told);
  set_join(&me->tokens.told, &me->now.succ);
  episode_start(&me->now, next);
  finish_logging(me);
}

/* A parked thread's position stands still: end what others now wait for, or they would wait for what it does afterwards. */
static void settle(const struct order *order, struct order_recorder *me) {
  if (me->parked && me->now.succ_any) end(order, me);
}

static void edge_from(struct order_episode *e, unsigned to, struct order_note *out) {
  if (set_has(&e->succ, to) && !ORDER_WRONG(WRONG_NO_PREVIOUSLY)) {
    *out = (struct order_note){.clock = e->clock, .kind = ORDER_NO_EDGE};
    return;
  }
  *out = (struct order_note){.clock = e->clock, .kind = ORDER_EDGE};
  atomic_signal_fence(memory_order_seq_cst);
  set_add(&e->succ, to);
  e->succ_any = true;
}

static bool was_told(const struct order_recorder *me, unsigned slot) {
  return set_has(&me->tokens.told, slot) && (is_empty(me) || ORDER_WRONG(WRONG_TOLD_FOR_EVER));
}

/* Which episode touched the block last: the current one unless the filter knows that it did not. */
static struct order_episode *attributed(const struct order *order, struct order_recorder *me,
                                        const struct order_ask *ask) {
  if (!order->options.filter) return &me->now;
  bool current = set_has(&me->now.succ, ask->from) && !ORDER_WRONG(WRONG_PREVIOUS_FIRST);
  if (current || filter_may_have(&me->tokens.filter, ask->block)) return &me->now;
  return &me->tokens.previous;
}

static void answer(const struct order *order, struct order_recorder *me, const struct order_ask *ask,
                   struct order_note *out) {
  struct order_episode *e = attributed(order, me, ask);
  bool is_dead = !order_is_alive(me) && !ORDER_WRONG(WRONG_EXIT_CLOSES);
  if (is_dead ||
      (e == &me->tokens.previous && !e->exists)) { /* a thread that has ended touched it, or none did */
    *out = (struct order_note){
        .clock = me->logged, .ends = order_ends(me), .kind = order_ends(me) ? ORDER_END : ORDER_NO_EDGE};
    return;
  }
  if (!order->options.filter && was_told(me, ask->from)) {
    *out = (struct order_note){.clock = e->clock, .kind = ORDER_NO_EDGE};
    return;
  }
  edge_from(e, ask->from, out);
  settle(order, me);
}

static void reply(const struct order *order, struct order_recorder *me, const struct order_ask *ask,
                  struct order_note *out) {
  answer(order, me, ask, out);
  if (me->now.succ_any && is_long(order, me)) end(order, me);
}

static void registered(const struct order *order, struct order_recorder *writer, const struct order_ask *ask,
                       uint64_t info, struct order_note *out) {
  (void)info;
  answer(order, writer, ask, out);
}

static bool has_pred(const struct order_episode *e, unsigned from) {
  for (unsigned i = 0; i < e->pred.count; i++)
    if (e->pred.slot[i] == from) return true;
  return false;
}

static void add_pred(struct order_episode *e, unsigned from) {
  unsigned i = e->pred.count++;
  for (; i && e->pred.slot[i - 1] > from; i--) e->pred.slot[i] = e->pred.slot[i - 1];
  e->pred.slot[i] = (uint16_t)from;
}

/* The end of a slot's later thread is after that of an earlier one. */
static void add_end(struct order_episode *e, unsigned from, uint32_t ends) {
  for (unsigned known = 0; known < e->after.count; known++)
    if (e->after.slot[known] == from) {
      e->after.ends[known] = ends;
      return;
    }
  unsigned i = e->after.count++;
  for (; i && e->after.slot[i - 1] > from; i--)
    e->after.slot[i] = e->after.slot[i - 1], e->after.ends[i] = e->after.ends[i - 1];
  e->after.slot[i] = (uint16_t)from;
  e->after.ends[i] = ends;
}

static void receive(const struct order *order, struct order_recorder *me, unsigned from,
                    const struct order_note *in) {
  if (in->kind == ORDER_NO_EDGE) return;
  if (in->kind == ORDER_END && heard_of(&me->heard, from) >= in->ends) return;
  const struct order_episode *e = &me->now;
  bool cycle = e->succ_any && (ORDER_WRONG(WRONG_GREATER) ? in->clock > e->clock : in->clock >= e->clock);
  bool second = order->options.single_edges && in->kind == ORDER_EDGE && has_pred(e, from);
  bool full = e->pred.count == ORDER_PREDS || e->after.count == ORDER_PREDS;
  if (cycle || second || full || is_long(order, me)) end(order, me);
  if (in->kind == ORDER_EDGE) {
    add_pred(&me->now, from);
  } else {
    add_end(&me->now, from, in->ends);
    hear(&me->heard, from, in->ends);
  }
  /* Once there is a successor its timestamp is known to it, and stays. */
  if (!me->now.succ_any && me->now.clock <= in->clock) me->now.clock = in->clock + 1;
}

static void touch(const struct order *order, struct order_recorder *me, uint64_t block,
                  enum order_want want) {
  (void)order, (void)want;
  filter_add(&me->tokens.filter, block);
}

static void spawn(const struct order *order, struct order_recorder *me, unsigned child,
                  struct order_note *out) {
  *out = (struct order_note){.kind = ORDER_NO_EDGE};
  if (ORDER_WRONG(WRONG_NO_SPAWN_EDGE)) return;
  if (set_has(&me->now.succ, child)) end(order, me);
  edge_from(&me->now, child, out);
}

static void begin(const struct order *order, struct order_recorder *me, unsigned parent,
                  const struct order_note *in) {
  me->parked = false;
  me->position = me->start = 0;
  set_clear(&me->tokens.told);
  hear_nothing(&me->heard);
  order_log_begin(order, me, 0, me->logged);
  if (in) receive(order, me, parent, in);
}

/* me->logged: timestamp of the last episode of the slot's last thread. */
static void thread_exit(const struct order *order, struct order_recorder *me) {
  end(order, me);
  if (order->options.filter) {
    log_episode(order, me, &me->tokens.previous);
    episode_start(&me->tokens.previous, 0);
  }
  me->logged = me->now.clock - 1;
  me->lives++;
}

static void recover(struct order_recorder *me) {
  set_clear(&me->tokens.told);
}

/* -- Reading ----------------------------------------------------------------------------------------------------------- */

static int decode_waits(struct slot_reader *from, struct order_step *step, unsigned kind) {
  uint64_t value = 1;
  unsigned slot;
  unsigned entries = 0;
  from->last = 0;
  do {
    unsigned before = from->last;
    int n = get_slot(from, &slot);
    if (n <= 0) return n;
    if (kind == ORDER_WAIT_ENDS && (n = get_number(from, &value)) <= 0) return n;
    if (++entries > ORDER_PREDS || value > UINT32_MAX || !value) return -1;
    bool again = entries > 1 && before == slot;
    if (again && kind == ORDER_WAIT_ENDS) return -1;
    if (again)
      step->wait[step->waits - 1].value++;
    else
      step->wait[step->waits++] =
          (struct order_wait){.kind = (uint8_t)kind, .slot = (uint16_t)slot, .value = value};
  } while (from->more);
  return 1;
}

static int decode_signals(struct slot_reader *from, struct order_step *step) {
  unsigned slot;
  from->last = 0;
  do {
    int n = get_slot(from, &slot);
    if (n <= 0) return n;
    if (step->signals && step->signal[step->signals - 1] == slot) return -1;
    step->signal[step->signals++] = (uint16_t)slot;
  } while (from->more);
  return 1;
}

static int decode(struct order_reader *reader, struct order_step *step, const uint8_t *bytes, size_t count) {
  struct slot_reader from = {.bytes = bytes, .count = count};
  uint64_t size;
  int n = get_number(&from, &size);
  if (n <= 0) return n;
  unsigned has = size & 7;
  if (!size || (size >> 3) > UINT64_MAX - reader->position) return -1;
  start_step(step, reader->position, reader->position + (size >> 3), 0);
  if (has & HAS_ENDS && (n = decode_waits(&from, step, ORDER_WAIT_ENDS)) <= 0) return n;
  if (has & HAS_PRED && (n = decode_waits(&from, step, ORDER_WAIT_TOKENS)) <= 0) return n;
  if (has & HAS_SUCC && (n = decode_signals(&from, step)) <= 0) return n;
  reader->position = step->until;
  return (int)from.used;
}

const struct order_scheme order_tokens = {
    .name = "tokens",
    .asks_writer = true,
    .begin = begin,
    .reply = reply,
    .registered = registered,
    .receive = receive,
    .touch = touch,
    .park = settle,
    .end = end,
    .spawn = spawn,
    .exit = thread_exit,
    .recover = recover,
    .decode = decode,
};

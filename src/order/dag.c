/* dag.c: the order scheme `dag`: Karma's graph of episodes, with PRED naming the episode and not only its slot.
 *
 * An episode is named by its slot and its timestamp, which grows from each episode of a slot to the next. Replay waits
 * until that slot has completed that episode. So there is no SUCC and no token: an edge may be recorded twice, a reader takes
 * the last writer's timestamp from the block's entry and leaves the writer alone, and every recorder is touched by its own thread
 * only (or by who holds it). The timestamp is not logged either: it is one more than the greatest of the
 * episode before and of PRED, on both sides.
 *
 * Cycles are detected as in tokens.c (Karma, section 3.2). Once the current episode's timestamp has been given away (`sent`) it is frozen.
 * `heard` drops edges that an earlier one of the same slot implies, as FDR's VIC does.
 *
 * A record: varint(size * 2 + PRED follows), then for each of PRED its slot (sets.h) and zigzag(timestamp - own before PRED). */
#include "order/order.h"
#include "order/sets.h"
#include "order/wrong.h"

/* -- Recording --------------------------------------------------------------------------------------------------------- */

/* PRED by slots: they are kept as they come, since who is killed in the middle of a change must leave a list. */
static struct order_preds sorted(const struct order_preds *pred) {
  struct order_preds list = {0};
  for (unsigned n = 0; n < pred->count; n++) {
    unsigned i = list.count++;
    for (; i && list.slot[i - 1] > pred->slot[n]; i--)
      list.slot[i] = list.slot[i - 1], list.clock[i] = list.clock[i - 1];
    list.slot[i] = pred->slot[n];
    list.clock[i] = pred->clock[n];
  }
  return list;
}

static size_t encode(const struct order_recorder *me, uint8_t *record) {
  struct slot_writer w = {.bytes = record};
  struct order_preds pred = sorted(&me->now.pred);
  w.count = varint_put(record, (me->position - me->start) << 1 | (pred.count != 0));
  for (unsigned i = 0; i < pred.count; i++) {
    put_slot(&w, pred.slot[i], i + 1 < pred.count);
    w.count += varint_put(record + w.count, zigzag((int64_t)(pred.clock[i] - me->logged)));
  }
  return w.count;
}

/* Nothing happened in this episode, not even an order: what was asked for belongs to one before it. */
static bool is_fresh(const struct order_recorder *me) {
  return me->position == me->start && !me->now.pred.count && !me->sent;
}

/* me->logged: timestamp of the slot's last episode. */
static void end(const struct order *order, struct order_recorder *me) {
  uint8_t record[ORDER_RECORD_LARGEST];
  uint64_t next = me->now.clock + 1;
  if (is_fresh(me)) return;
  size_t count = encode(me, record);
  start_logging(me, (struct order_next){next, next - 1, me->lives});
  order->log(order, me->slot, record, count);
  me->logged = next - 1;
  me->start = me->position;
  me->sent = false;
  episode_start(&me->now, next);
  finish_logging(me);
}

static void settle(const struct order *order, struct order_recorder *me) {
  if (me->parked && me->sent) end(order, me);
}

static void reply(const struct order *order, struct order_recorder *me, const struct order_ask *ask,
                  struct order_note *out) {
  (void)ask;
  *out = (struct order_note){.clock = me->logged, .kind = ORDER_EDGE};
  if (is_fresh(me)) return;
  out->clock = me->now.clock;
  me->sent = true;
  if (me->parked || is_long(order, me)) end(order, me);
}

static void registered(const struct order *order, struct order_recorder *writer, const struct order_ask *ask,
                       uint64_t info, struct order_note *out) {
  (void)order, (void)writer, (void)ask;
  *out = (struct order_note){.clock = info, .kind = ORDER_EDGE};
}

static void add_pred(struct order_preds *pred, unsigned from, uint64_t clock) {
  unsigned i = 0;
  while (i < pred->count && pred->slot[i] != from) i++;
  pred->slot[i] = (uint16_t)from;
  pred->clock[i] = clock;
  atomic_signal_fence(memory_order_seq_cst);
  if (i == pred->count) pred->count++;
}

static void receive(const struct order *order, struct order_recorder *me, unsigned from,
                    const struct order_note *in) {
  if (in->kind == ORDER_NO_EDGE || in->clock <= heard_of(&me->heard, from)) return;
  bool cycle =
      me->sent && (ORDER_WRONG(WRONG_GREATER) ? in->clock > me->now.clock : in->clock >= me->now.clock);
  if (cycle || me->now.pred.count == ORDER_PREDS || is_long(order, me)) end(order, me);
  hear(&me->heard, from, in->clock);
  add_pred(&me->now.pred, from, in->clock);
  if (me->now.clock <= in->clock) me->now.clock = in->clock + 1;
}

static void touch(const struct order *order, struct order_recorder *me, uint64_t block,
                  enum order_want want) {
  (void)order, (void)me, (void)block, (void)want;
}

/* The child's first episode is after the parent's current one, which therefore counts as begun. */
static void spawn(const struct order *order, struct order_recorder *me, unsigned child,
                  struct order_note *out) {
  (void)order, (void)child;
  *out = (struct order_note){.clock = me->now.clock,
                             .kind = ORDER_WRONG(WRONG_NO_SPAWN_EDGE) ? ORDER_NO_EDGE : ORDER_EDGE};
  if (out->kind == ORDER_EDGE) me->sent = true;
}

static void begin(const struct order *order, struct order_recorder *me, unsigned parent,
                  const struct order_note *in) {
  me->parked = false;
  me->position = me->start = 0;
  hear_nothing(&me->heard);
  order_log_begin(order, me, me->logged, me->logged);
  if (in) receive(order, me, parent, in);
}

static void thread_exit(const struct order *order, struct order_recorder *me) {
  end(order, me);
  me->lives++;
}

/* -- Reading ----------------------------------------------------------------------------------------------------------- */

static int decode_preds(struct slot_reader *from, struct order_step *step, uint64_t base, uint64_t *clock) {
  unsigned slot, last = ORDER_NOBODY;
  uint64_t value;
  do {
    int n = get_slot(from, &slot);
    if (n <= 0 || (n = get_number(from, &value)) <= 0) return n;
    uint64_t of = base + (uint64_t)unzigzag(value);
    if (slot == last || !of || of >= INT64_MAX || step->waits == ORDER_PREDS) return -1;
    last = slot;
    step->wait[step->waits++] =
        (struct order_wait){.kind = ORDER_WAIT_CLOCK, .slot = (uint16_t)slot, .value = of};
    if (*clock <= of) *clock = of + 1;
  } while (from->more);
  return 1;
}

static int decode(struct order_reader *reader, struct order_step *step, const uint8_t *bytes, size_t count) {
  struct slot_reader from = {.bytes = bytes, .count = count};
  uint64_t size;
  int n = get_number(&from, &size);
  if (n <= 0) return n;
  if ((size >> 1) > UINT64_MAX - reader->position || reader->clock >= INT64_MAX - 1) return -1;
  start_step(step, reader->position, reader->position + (size >> 1), reader->clock + 1);
  if (size & 1 && (n = decode_preds(&from, step, reader->clock, &step->clock)) <= 0) return n;
  reader->position = step->until;
  reader->clock = step->clock;
  return (int)from.used;
}

const struct order_scheme order_dag = {
    .name = "dag",
    .begin = begin,
    .reply = reply,
    .registered = registered,
    .receive = receive,
    .touch = touch,
    .park = settle,
    .end = end,
    .spawn = spawn,
    .exit = thread_exit,
    .decode = decode,
};

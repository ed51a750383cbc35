/* arcs.c: the order scheme `arcs`: the Flight Data Recorder's race log (FDR, section 4, table 2).
 *
 * An arc says: before my instruction at position p, slot s must have come to its position q. It is logged unless an earlier one
 * from s implies it (VIC: here `heard`). By the send observation (section 4.3) the answer may carry any position from the
 * last access to the block up to now: now is always at hand, the last access (options.last_access; table 2's CIC) makes for fewer
 * arcs and more freedom in replay. By the receive observation the arc ends at the next instruction, whether or not that touches the
 * block.
 *
 * A clock of a slot counts instructions *and arcs*: to have passed an arc is a step of its own. So an answer given after an arc was
 * received and before the instruction that it was for (which may have faulted) still is after that arc. Clocks of a
 * slot go on growing over its threads.
 *
 * A record: varint(positions since the last arc * 2 + another source than last time), [varint(source)],
 * varint(clock - the last one from there - 1). The last one of a thread that ended has its own slot as source, and 0. */
#include "order/order.h"
#include "order/sets.h"
#include "order/wrong.h"

/* -- Recording --------------------------------------------------------------------------------------------------------- */

/* me->now.clock: the arcs of this thread. me->logged: position of the last one; between two threads the slot's clock. */
uint64_t order_clock(const struct order_recorder *me) {
  return order_is_alive(me) ? me->arcs.base + me->now.clock + me->position : me->logged;
}

static void reply(const struct order *order, struct order_recorder *me, const struct order_ask *ask,
                  struct order_note *out) {
  uint64_t clock = order->options.last_access ? ask->last_access : order_clock(me);
  *out = (struct order_note){.clock = clock, .kind = ORDER_EDGE};
}

static void registered(const struct order *order, struct order_recorder *writer, const struct order_ask *ask,
                       uint64_t info, struct order_note *out) {
  (void)order, (void)writer, (void)ask;
  *out = (struct order_note){.clock = info, .kind = ORDER_EDGE};
}

static void receive(const struct order *order, struct order_recorder *me, unsigned from,
                    const struct order_note *in) {
  if (in->kind == ORDER_NO_EDGE || in->clock <= heard_of(&me->heard, from)) return;
  uint8_t record[3 * VARINT_LARGEST];
  bool other = me->arcs.source != from;
  size_t n = varint_put(record, (me->position - me->logged) << 1 | other);
  if (other) n += varint_put(record + n, from);
  n += varint_put(record + n, in->clock - heard_of(&me->heard, from) - 1);
  start_logging(me, (struct order_next){me->now.clock + 1, me->position, me->lives});
  order->log(order, me->slot, record, n);
  hear(&me->heard, from, in->clock);
  me->arcs.source = (uint16_t)from;
  me->logged = me->position;
  me->now.clock++;
  finish_logging(me);
}

static void touch(const struct order *order, struct order_recorder *me, uint64_t block,
                  enum order_want want) {
  (void)order, (void)me, (void)block, (void)want;
}

/* There are no episodes to end. */
static void nothing(const struct order *order, struct order_recorder *me) {
  (void)order, (void)me;
}

static void spawn(const struct order *order, struct order_recorder *me, unsigned child,
                  struct order_note *out) {
  (void)order, (void)child;
  *out = (struct order_note){.clock = order_clock(me),
                             .kind = ORDER_WRONG(WRONG_NO_SPAWN_EDGE) ? ORDER_NO_EDGE : ORDER_EDGE};
}

static void begin(const struct order *order, struct order_recorder *me, unsigned parent,
                  const struct order_note *in) {
  me->parked = false;
  me->arcs.base = me->logged;
  me->position = me->now.clock = 0;
  me->arcs.source = ORDER_NOBODY;
  hear_nothing(&me->heard);
  order_log_begin(order, me, me->arcs.base, 0);
  if (in) receive(order, me, parent, in);
}

/* Where it ended is told by an arc from itself: others may wait for any position up to there. */
static void thread_exit(const struct order *order, struct order_recorder *me) {
  uint8_t record[3 * VARINT_LARGEST];
  size_t n = varint_put(record, (me->position - me->logged) << 1 | 1);
  n += varint_put(record + n, me->slot);
  n += varint_put(record + n, 0);
  uint64_t clock = order_clock(me);
  start_logging(me, (struct order_next){0, clock, me->lives + 1});
  order->log(order, me->slot, record, n);
  me->logged = clock;
  me->lives++;
  finish_logging(me);
}

/* -- Reading ----------------------------------------------------------------------------------------------------------- */

static int decode(struct order_reader *reader, struct order_step *step, const uint8_t *bytes, size_t count) {
  struct slot_reader from = {.bytes = bytes, .count = count};
  uint64_t moved, source = reader->source, clock;
  int n = get_number(&from, &moved);
  if (n <= 0) return n;
  if (moved & 1) {
    if ((n = get_number(&from, &source)) <= 0) return n;
    if (source == reader->source && source != reader->slot) return -1;
  }
  if (source >= ORDER_SLOTS || (moved >> 1) > INT64_MAX - 1 - reader->position) return -1;
  if ((n = get_number(&from, &clock)) <= 0) return n;
  if (clock >= INT64_MAX - heard_of(&reader->heard, (unsigned)source)) return -1;
  if (reader->clock >= INT64_MAX - 1 - (moved >> 1)) return -1;
  reader->position += moved >> 1;
  if (source == reader->slot) {
    if (clock) return -1;
    reader->clock += moved >> 1;
    start_step(step, reader->position, reader->position, reader->clock);
    step->ends = true;
    return (int)from.used;
  }
  reader->clock += 1 + (moved >> 1);
  reader->source = (uint16_t)source;
  hear(&reader->heard, (unsigned)source, heard_of(&reader->heard, (unsigned)source) + clock + 1);
  start_step(step, reader->position, reader->position, reader->clock);
  step->arrive = reader->clock - 1;
  step->wait[step->waits++] = (struct order_wait){.kind = ORDER_WAIT_CLOCK,
                                                  .slot = (uint16_t)source,
                                                  .value = heard_of(&reader->heard, (unsigned)source)};
  return (int)from.used;
}

const struct order_scheme order_arcs = {
    .name = "arcs",
    .begin = begin,
    .reply = reply,
    .registered = registered,
    .receive = receive,
    .touch = touch,
    .park = nothing,
    .end = nothing,
    .spawn = spawn,
    .exit = thread_exit,
    .decode = decode,
};

/* scalar.c: the order scheme `scalar`: Rerun (Karma, section 2.2 and figure 1). Episodes with Lamport timestamps.
 *
 * An episode ends as soon as another thread asks for a block that it may have touched; its timestamp goes with the answer, and
 * whoever receives it is later. Replay runs episodes in the order of their timestamps, equal ones side by side.
 *
 * Without options.filter every request ends the episode, unless nothing was executed in it. With it, Rerun's read
 * and write filters tell whether the block was touched in this episode; if not, TS-1 is late enough: every earlier
 * episode of this slot has a smaller timestamp than the current one.
 *
 * A record: varint(size * 2 + skips), and if it skips varint(timestamps skipped - 1): mostly one follows the other. */
#include "order/order.h"
#include "order/sets.h"
#include "order/wrong.h"

/* -- Recording --------------------------------------------------------------------------------------------------------- */

/* me->logged: timestamp of the slot's last episode in the log. */
static void end(const struct order *order, struct order_recorder *me) {
  uint8_t record[2 * VARINT_LARGEST];
  uint64_t clock = me->now.clock, skipped = clock - me->logged - 1;
  if (me->position == me->start) return;
  size_t n = varint_put(record, (me->position - me->start) << 1 | (skipped != 0));
  if (skipped) n += varint_put(record + n, skipped - 1);
  start_logging(me, (struct order_next){clock + 1, clock, me->lives});
  order->log(order, me->slot, record, n);
  me->logged = clock;
  me->now.clock = clock + 1;
  me->start = me->position;
  me->scalar.reads = me->scalar.writes = (struct order_filter){0};
  finish_logging(me);
}

static bool conflicts(const struct order *order, const struct order_recorder *me,
                      const struct order_ask *ask) {
  if (!order->options.filter) return true;
  return filter_may_have(&me->scalar.writes, ask->block) ||
         (ask->want == ORDER_WRITE && filter_may_have(&me->scalar.reads, ask->block));
}

static void reply(const struct order *order, struct order_recorder *me, const struct order_ask *ask,
                  struct order_note *out) {
  if (conflicts(order, me, ask) && !ORDER_WRONG(WRONG_REPLY_GOES_ON)) end(order, me);
  *out = (struct order_note){.clock = me->now.clock - 1, .kind = ORDER_EDGE};
}

static void registered(const struct order *order, struct order_recorder *writer, const struct order_ask *ask,
                       uint64_t info, struct order_note *out) {
  (void)order, (void)writer, (void)ask;
  *out = (struct order_note){.clock = info, .kind = ORDER_EDGE};
}

static void receive(const struct order *order, struct order_recorder *me, unsigned from,
                    const struct order_note *in) {
  (void)order, (void)from;
  if (in->kind == ORDER_EDGE && me->now.clock <= in->clock) me->now.clock = in->clock + 1;
}

static void touch(const struct order *order, struct order_recorder *me, uint64_t block,
                  enum order_want want) {
  (void)order;
  filter_add(want == ORDER_WRITE ? &me->scalar.writes : &me->scalar.reads, block);
}

static void park(const struct order *order, struct order_recorder *me) {
  (void)order, (void)me;
}

/* The child's episodes are later than the parent's last before the call. */
static void spawn(const struct order *order, struct order_recorder *me, unsigned child,
                  struct order_note *out) {
  (void)child;
  end(order, me);
  *out = (struct order_note){.clock = me->now.clock - 1,
                             .kind = ORDER_WRONG(WRONG_NO_SPAWN_EDGE) ? ORDER_NO_EDGE : ORDER_EDGE};
}

static void begin(const struct order *order, struct order_recorder *me, unsigned parent,
                  const struct order_note *in) {
  me->parked = false;
  me->position = me->start = 0;
  if (in) receive(order, me, parent, in);
  order_log_begin(order, me, me->now.clock - 1, me->now.clock - 1);
}

static void thread_exit(const struct order *order, struct order_recorder *me) {
  end(order, me);
  me->lives++;
}

/* -- Reading ----------------------------------------------------------------------------------------------------------- */

static int decode(struct order_reader *reader, struct order_step *step, const uint8_t *bytes, size_t count) {
  struct slot_reader from = {.bytes = bytes, .count = count};
  uint64_t size, skipped = 0;
  int n = get_number(&from, &size);
  if (n <= 0) return n;
  if (size & 1) {
    if ((n = get_number(&from, &skipped)) <= 0) return n;
    if (skipped++ >= INT64_MAX) return -1;
  }
  if (size < 2 || (size >> 1) > UINT64_MAX - reader->position) return -1;
  if (reader->clock + 1 > INT64_MAX - skipped) return -1;
  reader->clock += skipped + 1;
  start_step(step, reader->position, reader->position + (size >> 1), reader->clock);
  step->arrive = reader->clock - 1;
  step->wait[step->waits++] =
      (struct order_wait){.kind = ORDER_WAIT_ALL, .slot = ORDER_NOBODY, .value = reader->clock - 1};
  reader->position = step->until;
  return (int)from.used;
}

const struct order_scheme order_scalar = {
    .name = "scalar",
    .begin = begin,
    .reply = reply,
    .registered = registered,
    .receive = receive,
    .touch = touch,
    .park = park,
    .end = end,
    .spawn = spawn,
    .exit = thread_exit,
    .decode = decode,
};

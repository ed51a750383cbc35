/* order.c: what the schemes have in common: recorders, the first record of a log. See order.h. */
#include "order/order.h"

#include "order/sets.h"

/* Timestamps begin at 1: there is an episode before each, and "nobody heard of" is 0. */
void order_recorder_init(struct order_recorder *me, unsigned slot) {
  hear_nothing(&me->heard);
  __builtin_memset(me, 0, offsetof(struct order_recorder, heard));
  me->slot = (uint16_t)slot;
  me->now.clock = 1;
}

void order_reader_reset(struct order_reader *reader) {
  hear_nothing(&reader->heard);
  __builtin_memset(reader, 0, offsetof(struct order_reader, heard));
}

void order_park(const struct order *order, struct order_recorder *me) {
  me->parked = true;
  order->scheme->park(order, me);
}

void order_unpark(const struct order *order, struct order_recorder *me) {
  (void)order;
  me->parked = false;
}

void order_say_ended(const struct order *order, struct order_recorder *former, unsigned to,
                     struct order_note *out) {
  order->scheme->reply(order, former,
                       &(struct order_ask){.last_access = order_clock(former), .from = (uint16_t)to}, out);
}

void order_recover(const struct order_scheme *scheme, struct order_recorder *me, bool logged) {
  if (me->logging && logged) {
    me->start = me->position;
    episode_start(&me->now, me->next.clock);
    me->sent = false;
    if (scheme->recover) scheme->recover(me);
    me->logged = me->next.logged;
    me->lives = me->next.lives;
  }
  me->logging = false;
}

void order_log_begin(const struct order *order, struct order_recorder *me, uint64_t clock, uint64_t logged) {
  uint8_t record[3 * VARINT_LARGEST];
  size_t n = varint_put(record, me->slot);
  n += varint_put(record + n, order_ends(me));
  n += varint_put(record + n, clock);
  start_logging(me, (struct order_next){me->now.clock, logged, me->lives + 1});
  order->log(order, me->slot, record, n);
  me->logged = logged;
  me->lives++;
  finish_logging(me);
}

static int decode_begin(struct order_reader *reader, struct order_step *step, const uint8_t *bytes,
                        size_t count) {
  struct slot_reader from = {.bytes = bytes, .count = count};
  uint64_t slot, ends, clock;
  int n = get_number(&from, &slot);
  if (n <= 0 || (n = get_number(&from, &ends)) <= 0 || (n = get_number(&from, &clock)) <= 0) return n;
  if (slot >= ORDER_SLOTS || ends > UINT32_MAX || clock > INT64_MAX) return -1;
  start_step(step, 0, 0, clock);
  step->begins = true, step->slot = (uint16_t)slot, step->waits = ends != 0;
  step->wait[0] = (struct order_wait){.kind = ORDER_WAIT_ENDS, .slot = (uint16_t)slot, .value = ends};
  reader->begun = true, reader->slot = (uint16_t)slot, reader->clock = clock, reader->source = ORDER_NOBODY;
  return (int)from.used;
}

int order_decode(struct order_reader *reader, struct order_step *step, const uint8_t *bytes, size_t count) {
  if (!reader->begun) return decode_begin(reader, step, bytes, count);
  return reader->scheme->decode(reader, step, bytes, count);
}

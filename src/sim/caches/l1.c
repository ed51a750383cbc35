/* l1.c: a private cache: requests of its hart, and messages from other nodes.
 *
 * Each goes through a row of the protocol's table: `step` performs the row's actions and takes its next state. */
#include "sim/caches/caches.h"

struct l1_line *l1_find(struct l1 *l1, uint64_t block) {
  struct l1_line *set = &l1->lines[((block >> LINE_SHIFT) & (l1->sets - 1)) * l1->ways];
  for (uint32_t way = 0; way < l1->ways; way++)
    if (set[way].block == block && set[way].state != L1_I) return &set[way];
  return NULL;
}

struct l1_line *l1_find_buffered(struct l1 *l1, uint64_t block) {
  for (uint32_t n = 0; n < l1->caches->machine->config.write_backs; n++)
    if (l1->buffer[n].block == block && l1->buffer[n].state != L1_I) return &l1->buffer[n];
  return NULL;
}

static const struct protocol_row *take_row(struct l1 *l1, unsigned state, unsigned event, uint64_t block) {
  struct protocol_table *table = &l1->caches->table;
  const struct protocol_row *row = table->l1[state][event];
  CHECK(row, "node %d, block %lx: %s in state %s", l1->node, (unsigned long)block, l1_event_names[event],
        l1_state_names[state]);
  table->l1_taken[state][event]++;
  return row;
}

static void wake(struct l1 *l1, uint64_t cycle) {
  if (l1->port->waiting) port_wake(l1->port, cycle);
}

/* -- Messages that leave --------------------------------------------------------------------------------------------- */

static void send(struct l1 *l1, struct message *message, unsigned to, uint64_t cycle) {
  message->from = l1->node;
  message->to = to;
  message_send(l1->caches, message, cycle);
}

static void ask(struct l1 *l1, enum message_kind kind, uint64_t block, uint64_t cycle) {
  send(l1, message_new(l1->caches, kind, block), NOBODY, cycle);
}

static void fill(struct l1_line *line, const struct message *message) {
  CHECK(line && message, "a cache takes data without a line or a message");
  memcpy(line->data, message->data, LINE_BYTES);
}

static void add_data(struct message *message, const struct l1_line *line, bool dirty) {
  CHECK(line, "a cache sends data without a line");
  memcpy(message->data, line->data, LINE_BYTES);
  message->has_data = true;
  message->dirty = dirty;
}

/* Adds the recorder's note for the receiver of the answer. The recorder takes a port's two caches for one. */
static void add_note(struct l1 *l1, struct message *message, unsigned to, bool write, enum reply_for what) {
  const struct caches_hooks *hooks = l1->caches->hooks;
  struct port *receiver = node_port(l1->caches, to);
  if (!hooks || (receiver == l1->port && what != REPLY_PROXY)) return;
  message->ordered = hooks->reply(l1->caches->machine, l1->port, receiver, message->block, write, what);
}
static enum reply_for kind_of(const struct l1 *l1) {
  return l1->instructions ? REPLY_CODE : REPLY_DATA;
}

/* … and to the bank. */
static void add_bank_note(struct l1 *l1, struct message *message) {
  const struct caches_hooks *hooks = l1->caches->hooks;
  if (hooks && hooks->bank_hears)
    message->ordered = hooks->bank_hears(l1->caches->machine, l1->port, message->block, kind_of(l1));
}

static void acknowledge(struct l1 *l1, const struct message *request, bool write, uint64_t cycle) {
  struct message *ack = message_new(l1->caches, MESSAGE_ACK, request->block);
  add_note(l1, ack, request->requester, write, request->proxy ? REPLY_PROXY : kind_of(l1));
  send(l1, ack, request->requester, cycle);
}

static void send_data(struct l1 *l1, const struct l1_line *line, const struct message *request,
                      uint64_t cycle) {
  struct message *data = message_new(l1->caches, MESSAGE_DATA, request->block);
  bool write = request->kind == MESSAGE_FORWARD_M;
  add_data(data, line, true);
  data->grant = write ? L1_M : L1_S;
  data->acks = request->acks;
  add_note(l1, data, request->requester, write, kind_of(l1));
  send(l1, data, request->requester, cycle);
}

static bool newer_than_l2(unsigned state) {
  return state == L1_M || state == L1_O || state == L1_OM || state == L1_MI || state == L1_OI;
}

static void recalled(struct l1 *l1, const struct l1_line *line, unsigned state, const struct message *request,
                     uint64_t cycle) {
  struct message *ack = message_new(l1->caches, MESSAGE_RECALL_ACK, request->block);
  if (newer_than_l2(state)) add_data(ack, line, true);
  const struct caches_hooks *hooks = l1->caches->hooks;
  add_bank_note(l1, ack);
  bool by_proxy = hooks && !hooks->bank_hears;
  struct port *proxy = by_proxy ? hooks->evicted(l1->caches->machine, l1->port, request->block) : NULL;
  if (proxy) {
    ack->acks = 1;
    send(l1, message_new(l1->caches, MESSAGE_PROXY_ORDER, request->block), proxy->number, cycle);
  }
  send(l1, ack, NOBODY, cycle);
}

/* The line moves to the write-back buffer, where it stays until PUT_ACK. Its frame is free. */
static void put(struct l1 *l1, struct l1_line *line, unsigned state, uint64_t cycle) {
  struct message *message = message_new(l1->caches, MESSAGE_PUT, line->block);
  if (newer_than_l2(line->state)) add_data(message, line, true);
  add_bank_note(l1, message);
  send(l1, message, NOBODY, cycle);
  struct l1_line *entry = l1->buffer;
  while (entry->state != L1_I) entry++;
  *entry = *line;
  entry->state = state;
  entry->for_hart = entry->for_buffer = false;
  line->state = L1_I;
  l1->caches->counters.l1_write_backs++;
}

/* -- Actions ----------------------------------------------------------------------------------------------------------- */

static void done(struct l1 *l1, struct l1_line *line, uint64_t cycle) {
  l1->under_way--;
  distribution_add(&l1->miss_cycles, cycle - line->asked);
  l1->missed += cycle - line->asked;
  line->used =
      port_time(l1->port); /* whether or not it is accessed: an answer about it comes after the grant */
  ask(l1, MESSAGE_UNBLOCK, line->block, cycle);
  if (line->for_hart) {
    l1->pinned = line->block;
    l1->pinned_until = cycle + 1;
    wake(l1, cycle);
  }
  bool for_buffer = line->for_buffer;
  line->for_hart = line->for_buffer = false;
  if (for_buffer) store_buffer_go_on(l1->port, cycle);
}

/* Everything on which a stalled access may have waited has the chance to let it go on. */
static void unstall(struct l1 *l1, uint64_t cycle) {
  if (l1->store_buffer && l1->store_buffer->stalled) store_buffer_go_on(l1->port, cycle);
  if (!l1->stalled) return;
  l1->stalled = false;
  wake(l1, cycle);
}

static void step(struct l1 *l1, struct l1_line *line, unsigned event, struct message *message,
                 uint64_t cycle) {
  CHECK(line || message, "a cache steps without a line or a message");
  uint64_t block = line ? line->block : message->block;
  unsigned state = line ? line->state : L1_I;
  const struct protocol_row *row = take_row(l1, state, event, block);
  uint32_t actions = row->actions;
  bool lost = event == L1_EVENT_FORWARD_M || event == L1_EVENT_INVALIDATE || event == L1_EVENT_RECALL;
  if (lost && l1->store_buffer) store_buffer_lost(l1->port, block);
  if (actions & L1_NO_READ)
    port_drop(l1->port, block, l1->instructions ? PORT_FETCHES : PORT_LOADS | PORT_STORES);
  else if (actions & L1_NO_WRITE)
    port_drop(l1->port, block, PORT_STORES);
  if (actions & L1_FILL) fill(line, message);
  if (actions & (L1_SEND_GET_S | L1_SEND_GET_M | L1_SEND_UPGRADE)) {
    l1->under_way++;
    line->asked = cycle;
  }
  if (actions & L1_SEND_GET_S) ask(l1, MESSAGE_GET_S, block, cycle);
  if (actions & L1_SEND_GET_M) ask(l1, MESSAGE_GET_M, block, cycle);
  if (actions & L1_SEND_UPGRADE) ask(l1, MESSAGE_UPGRADE, block, cycle);
  if (actions & L1_SEND_DATA) send_data(l1, line, message, cycle);
  if (actions & L1_SEND_COPY_BACK) {
    struct message *copy = message_new(l1->caches, MESSAGE_COPY_BACK, block);
    add_data(copy, line, newer_than_l2(state));
    add_bank_note(l1, copy);
    send(l1, copy, NOBODY, cycle);
  }
  if (actions & L1_SEND_ACK) acknowledge(l1, message, true, cycle);
  if (actions & L1_SEND_RECALL_ACK) recalled(l1, line, state, message, cycle);
  if (actions & L1_SEND_PUT) {
    put(l1, line, row->next, cycle);
    return;
  }
  if (line) line->state = row->next;
  if (actions & L1_DONE) done(l1, line, cycle);
  /* A frame that was freed to be filled is not for those who wait. */
  if (actions & (L1_DONE | L1_FREE) && event != L1_EVENT_REPLACE) unstall(l1, cycle);
}

/* -- The hart's side ----------------------------------------------------------------------------------------------------- */

static bool stable(const struct l1_line *line) {
  return line->state <= L1_O;
}

/* A frame for a new line: a free one, or that of the least recently used stable line. NULL: none can be had now. */
static struct l1_line *make_room(struct l1 *l1, uint64_t block, uint64_t cycle) {
  struct l1_line *set = &l1->lines[((block >> LINE_SHIFT) & (l1->sets - 1)) * l1->ways], *victim = NULL;
  for (uint32_t way = 0; way < l1->ways; way++) {
    if (set[way].state == L1_I) return &set[way];
    if (stable(&set[way]) && (!victim || set[way].used < victim->used)) victim = &set[way];
  }
  if (!victim) return NULL;
  if (victim->state == L1_S) {
    l1->caches->counters.l1_replacements++;
  } else {
    uint32_t room = 0, most = l1->caches->machine->config.write_backs;
    while (room < most && l1->buffer[room].state != L1_I) room++;
    if (room == most) return NULL;
  }
  step(l1, victim, L1_EVENT_REPLACE, NULL, cycle);
  return victim;
}

static void count_miss(struct l1 *l1, const struct protocol_row *row, bool write) {
  struct caches_counters *counters = &l1->caches->counters;
  if (row->actions & L1_SEND_UPGRADE)
    counters->upgrades++;
  else if (row->actions & (L1_SEND_GET_S | L1_SEND_GET_M))
    *(l1->instructions ? &counters->fetch_misses
      : write          ? &counters->store_misses
                       : &counters->load_misses) += 1;
}

/* The access would be one miss more than there are MSHRs. */
static bool too_many(const struct l1 *l1, const struct l1_line *line, unsigned event) {
  uint32_t most = l1->caches->machine->config.misses;
  if (!most || l1->under_way < most) return false;
  const struct protocol_row *row = l1->caches->table.l1[line ? line->state : L1_I][event];
  return row && row->actions & (L1_SEND_GET_S | L1_SEND_GET_M | L1_SEND_UPGRADE);
}

struct l1_line *l1_access(struct l1 *l1, uint64_t block, bool write, bool for_buffer, uint64_t cycle) {
  unsigned event = write ? L1_EVENT_STORE : L1_EVENT_LOAD;
  struct l1_line *line = l1_find(l1, block);
  if (too_many(l1, line, event)) {
    *(for_buffer ? &l1->store_buffer->stalled : &l1->stalled) = true;
    l1->caches->counters.miss_stalls++;
    return NULL;
  }
  struct l1_line *leaving = line ? NULL : l1_find_buffered(l1, block);
  if (!line && !leaving) {
    line = make_room(l1, block, cycle);
    if (line) {
      line->block = block;
      line->state = L1_I;
      line->missing = 0;
      line->for_hart = line->for_buffer = false;
    }
  }
  if (!line) { /* no frame, or the block is on its way out */
    if (leaving) take_row(l1, leaving->state, event, block);
    *(for_buffer ? &l1->store_buffer->stalled : &l1->stalled) = true;
    l1->caches->counters.write_buffer_stalls++;
    return NULL;
  }
  const struct protocol_row *row = l1->caches->table.l1[line->state][event];
  bool hit = row && row->actions & L1_HIT;
  if (!hit) {
    if (for_buffer)
      line->for_buffer = true;
    else
      line->for_hart = true;
    if (row) count_miss(l1, row, write);
  }
  step(l1, line, event, NULL, cycle);
  if (hit) line->used = port_time(l1->port);
  return hit ? line : NULL;
}

/* -- Messages that come --------------------------------------------------------------------------------------------------- */

/* Until when a request of others for this block has to wait; 0: not at all. */
static uint64_t held_until(const struct l1 *l1, uint64_t block, uint64_t cycle) {
  uint64_t until = l1->pinned == block && cycle < l1->pinned_until ? l1->pinned_until : 0;
  const struct port *port = l1->port;
  if (!l1->instructions && port->reservation == block && cycle < port->hold_until && port->hold_until > until)
    until = port->hold_until;
  return until;
}

/* DATA, GRANT, ACK: which event it is depends on what is still missing. */
static unsigned answer_event(struct l1_line *line, const struct message *message) {
  bool waits_for_data =
      line->state == L1_IS || line->state == L1_IM || line->state == L1_SM || line->state == L1_OM;
  if (message->kind == MESSAGE_ACK) {
    line->missing--;
    return !waits_for_data && line->missing == 0 ? L1_EVENT_ACK_LAST : L1_EVENT_ACK;
  }
  line->missing = (int16_t)(line->missing + message->acks);
  bool last = line->missing == 0;
  if (message->kind == MESSAGE_GRANT) return last ? L1_EVENT_GRANT_LAST : L1_EVENT_GRANT;
  if (message->grant == L1_S) return last ? L1_EVENT_DATA_S_LAST : L1_EVENT_DATA_S;
  if (message->grant == L1_E) return last ? L1_EVENT_DATA_E_LAST : L1_EVENT_DATA_E;
  return last ? L1_EVENT_DATA_M_LAST : L1_EVENT_DATA_M;
}

static void dispatch(struct l1 *l1, struct message *message, uint64_t cycle) {
  struct l1_line *line = l1_find(l1, message->block);
  struct l1_line *any = line ? line : l1_find_buffered(l1, message->block);
  switch (message->kind) {
    case MESSAGE_FORWARD_S:
      step(l1, any, L1_EVENT_FORWARD_S, message, cycle);
      break;
    case MESSAGE_FORWARD_M:
      step(l1, any, L1_EVENT_FORWARD_M, message, cycle);
      break;
    case MESSAGE_INVALIDATE:
      step(l1, any, L1_EVENT_INVALIDATE, message, cycle);
      break;
    case MESSAGE_RECALL:
      step(l1, any, L1_EVENT_RECALL, message, cycle);
      break;
    case MESSAGE_ORDER:
      acknowledge(l1, message, false, cycle);
      break;
    case MESSAGE_PROXY_ORDER:
      ask(l1, MESSAGE_PROXY_ACK, message->block, cycle);
      break;
    case MESSAGE_PUT_ACK:
      step(l1, l1_find_buffered(l1, message->block), L1_EVENT_PUT_ACK, message, cycle);
      break;
    default: /* DATA, GRANT, ACK */
      CHECK(line, "node %d: an answer for block %lx, which it does not want", l1->node,
            (unsigned long)message->block);
      step(l1, line, answer_event(line, message), message, cycle);
  }
}

void l1_message(struct l1 *l1, struct message *message, uint64_t cycle) {
  unsigned kind = message->kind;
  if (kind == MESSAGE_FORWARD_S || kind == MESSAGE_FORWARD_M || kind == MESSAGE_INVALIDATE ||
      kind == MESSAGE_RECALL) {
    uint64_t until = held_until(l1, message->block, cycle);
    if (until) {
      message_again(l1->caches, message, until);
      return;
    }
  }
  dispatch(l1, message, cycle);
  message_free(l1->caches, message);
}

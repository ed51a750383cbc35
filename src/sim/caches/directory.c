/* directory.c: the shared L2: its banks, and the directory of owners and sharers of each block.
 *
 * A request finds its block, or makes room for it; the row of the protocol's table says which messages are sent and to which node. While the block is busy,
 * messages that would disturb it wait in the block's list, and are delivered again in their order. */
#include "sim/caches/caches.h"

static struct l2_line *set_of(struct caches *caches, uint64_t block, uint32_t *ways) {
  struct bank *bank = &caches->bank[directory_home(caches, block)];
  *ways = bank->ways;
  return &bank->lines[(block >> (LINE_SHIFT + caches->bank_shift) & (bank->sets - 1)) * bank->ways];
}

struct l2_line *directory_find(struct caches *caches, uint64_t block) {
  uint32_t ways;
  struct l2_line *set = set_of(caches, block, &ways);
  for (uint32_t way = 0; way < ways; way++)
    if (set[way].block == block && set[way].state != DIR_NP) return &set[way];
  return NULL;
}

/* All who may have a copy. */
static struct node_set holders(const struct l2_line *line) {
  struct node_set nodes = line->sharers;
  if (line->owner != NOBODY) node_set_add(&nodes, line->owner);
  return nodes;
}

/* -- Lists of messages that wait ------------------------------------------------------------------------------------------- */

static void append(struct message **first, struct message **last, struct message *message) {
  message->next = NULL;
  if (*first)
    (*last)->next = message;
  else
    *first = message;
  *last = message;
}

/* All come again, now, in their order. */
static void release(struct caches *caches, struct message **first, uint64_t cycle) {
  struct message *message = *first;
  *first = NULL;
  while (message) {
    struct message *next = message->next;
    message_again(caches, message, cycle);
    message = next;
  }
}

static bool busy(const struct l2_line *line) {
  return line->state >= DIR_FETCH;
}

/* -- Messages that leave ---------------------------------------------------------------------------------------------------- */

static void send(struct caches *caches, struct message *message, unsigned to, uint64_t cycle) {
  message->from = NOBODY;
  message->to = to;
  message_send(caches, message, cycle + caches->machine->config.l2_cycles);
}

static void send_simple(struct caches *caches, enum message_kind kind, uint64_t block, unsigned to,
                        unsigned requester, uint64_t cycle) {
  struct message *message = message_new(caches, kind, block);
  message->requester = requester;
  send(caches, message, to, cycle);
}

static void send_data(struct caches *caches, const struct l2_line *line, unsigned to, unsigned grant,
                      int acks, bool ordered, uint64_t cycle) {
  struct message *message = message_new(caches, MESSAGE_DATA, line->block);
  memcpy(message->data, line->data, LINE_BYTES);
  message->has_data = true;
  message->grant = grant;
  message->acks = (int16_t)acks;
  message->ordered = ordered;
  const struct sim_config *config = &caches->machine->config;
  if (config->memory_directory && line->state != DIR_FETCH)
    cycle = memory_book(caches, directory_home(caches, line->block), cycle) + config->memory_cycles;
  send(caches, message, to, cycle);
}

/* To each of these nodes. Returns how many they are. */
static int send_all(struct caches *caches, enum message_kind kind, uint64_t block,
                    const struct node_set *nodes, unsigned requester, uint64_t cycle) {
  int count = 0;
  for (unsigned n = 0; n < NODE_WORDS; n++)
    for (uint64_t word = nodes->word[n]; word; word &= word - 1, count++)
      send_simple(caches, kind, block, n * 64 + (unsigned)__builtin_ctzll(word), requester, cycle);
  return count;
}

/* The bank itself may have a note for the requester. */
static bool tell(struct caches *caches, const struct l2_line *line, unsigned requester, bool write) {
  const struct caches_hooks *hooks = caches->hooks;
  return hooks && hooks->bank_tells &&
         hooks->bank_tells(caches->machine, node_port(caches, requester), line->block, write);
}

/* The requester is made to wait for one who orders it: the last writer, or its proxy if there was none since it came into the L2. */
static int send_order(struct caches *caches, const struct l2_line *line, unsigned requester, uint64_t cycle) {
  if (!caches->hooks || caches->hooks->bank_tells) return 0;
  unsigned who = line->last_writer;
  bool by_proxy = who == NOBODY;
  if (by_proxy) {
    struct port *proxy = caches->hooks->proxy(caches->machine, line->block);
    who = proxy ? proxy->number : NOBODY;
  }
  if (who == NOBODY || (!by_proxy && node_port(caches, who) == node_port(caches, requester))) return 0;
  struct message *message = message_new(caches, MESSAGE_ORDER, line->block);
  message->proxy = by_proxy;
  message->requester = requester;
  send(caches, message, who, cycle);
  return 1;
}

/* The old bytes of memory are logged first; the bank waits while there is no room for them. */
static void log_memory(struct caches *caches, uint64_t block, uint64_t cycle) {
  if (!caches->checkpoints || !checkpoint_log_write_back(caches->checkpoints, block)) return;
  unsigned bank = directory_home(caches, block);
  uint64_t until = log_buffer_add(&caches->log_buffer[bank][LOG_MEMORY_CHECKPOINT], &caches->machine->config,
                                  LOG_MEMORY_CHECKPOINT, cycle, CHECKPOINT_ENTRY);
  struct queue *queue = &caches->bank[bank].queue;
  if (until > queue->free_at) queue->free_at = until;
}

static void recall_all(struct caches *caches, struct l2_line *line, uint64_t cycle) {
  struct node_set nodes = holders(line);
  line->missing = (int16_t)send_all(caches, MESSAGE_RECALL, line->block, &nodes, NOBODY, cycle);
  line->unordered = 0;
}

static void write_back(struct caches *caches, struct l2_line *line, uint64_t cycle) {
  if (line->dirty) log_memory(caches, line->block, cycle);
  if (line->dirty) {
    memcpy(machine_ram(caches->machine, line->block), line->data, LINE_BYTES);
    memory_book(caches, directory_home(caches, line->block), cycle);
  }
  caches->counters.l2_evictions++;
}

/* -- A row's actions ---------------------------------------------------------------------------------------------------------- */

static void take_data(struct caches *caches, struct l2_line *line, const struct message *message,
                      uint64_t cycle) {
  if (message->has_data) memcpy(line->data, message->data, LINE_BYTES);
  if (!message->dirty) return;
  line->dirty = true;
  if (!caches->machine->config.memory_directory) return;
  log_memory(caches, line->block, cycle);
  memory_book(caches, directory_home(caches, line->block), cycle);
}

static void forward(struct caches *caches, struct l2_line *line, enum message_kind kind, unsigned requester,
                    int acks, uint64_t cycle) {
  struct message *message = message_new(caches, kind, line->block);
  message->requester = requester;
  message->acks = (int16_t)acks;
  send(caches, message, line->owner, cycle);
}

static void send_for(struct caches *caches, struct l2_line *line, uint32_t actions, unsigned requester,
                     uint64_t cycle) {
  int acks = 0;
  bool ordered = actions & DIR_SEND_ORDER && tell(caches, line, requester, actions & DIR_SEND_DATA_M);
  if (actions & DIR_SEND_INVALIDATE) {
    /* The owner, when it is asked for data, answers that; when it is not, it is invalidated like the sharers. */
    struct node_set others = actions & DIR_SEND_FORWARD_M ? line->sharers : holders(line);
    node_set_remove(&others, requester);
    acks += send_all(caches, MESSAGE_INVALIDATE, line->block, &others, requester, cycle);
  }
  if (actions & DIR_SEND_ORDER) acks += send_order(caches, line, requester, cycle);
  if (actions & DIR_SEND_DATA_S) send_data(caches, line, requester, L1_S, acks, ordered, cycle);
  if (actions & DIR_SEND_DATA_E) send_data(caches, line, requester, L1_E, acks, ordered, cycle);
  if (actions & DIR_SEND_DATA_M) send_data(caches, line, requester, L1_M, acks, ordered, cycle);
  if (actions & DIR_SEND_GRANT) {
    struct message *message = message_new(caches, MESSAGE_GRANT, line->block);
    message->acks = (int16_t)acks;
    send(caches, message, requester, cycle);
  }
  if (actions & DIR_SEND_FORWARD_S) forward(caches, line, MESSAGE_FORWARD_S, requester, 0, cycle);
  if (actions & DIR_SEND_FORWARD_M) forward(caches, line, MESSAGE_FORWARD_M, requester, acks, cycle);
}

static void set_books(struct l2_line *line, uint32_t actions, unsigned requester) {
  line->leaving = holders(line);
  if (actions & DIR_NO_OWNER) { /* sticky: it stays among those who are asked */
    node_set_add(&line->sharers, line->owner);
    line->last_writer = line->owner;
    line->owner = NOBODY;
  }
  if (actions & DIR_ADD_SHARER) node_set_add(&line->sharers, requester);
  if (actions & DIR_SET_OWNER) {
    line->sharers = (struct node_set){{0}};
    line->owner = line->last_writer = requester;
  }
}

/* A row that answers a message is not one of those for what the directory does of itself. */
static struct message *the(struct message *message) {
  CHECK(message, "directory: a row without a message answers one");
  return message;
}

static void step(struct caches *caches, struct l2_line *line, unsigned event, struct message *message,
                 uint64_t cycle) {
  const struct protocol_row *row = caches->table.dir[line->state][event];
  CHECK(row, "directory, block %lx: %s in state %s", (unsigned long)line->block, dir_event_names[event],
        dir_state_names[line->state]);
  caches->table.dir_taken[line->state][event]++;
  uint32_t actions = row->actions;
  if (actions & DIR_STALL) {
    append(&line->first, &line->last, the(message));
    caches->counters.stalled_requests++;
    return;
  }
  unsigned requester = !message                                                     ? NOBODY
                       : event >= DIR_EVENT_MEMORY_S && event <= DIR_EVENT_MEMORY_M ? line->requester
                                                                                    : message->from;
  if (actions & DIR_TAKE_DATA) take_data(caches, line, the(message), cycle);
  if (actions & DIR_SEND_FETCH) {
    line->requester = the(message)->from;
    line->request = message->kind;
    send_simple(caches, MESSAGE_MEMORY, line->block, NOBODY, NOBODY, cycle);
    caches->counters.l2_misses++;
  }
  send_for(caches, line, actions, requester, cycle);
  if (actions & DIR_SEND_RECALL) recall_all(caches, line, cycle);
  if (actions & DIR_SEND_PUT_ACK)
    send_simple(caches, MESSAGE_PUT_ACK, line->block, the(message)->from, NOBODY, cycle);
  set_books(line, actions, requester);
  if (actions & DIR_WRITE_BACK) write_back(caches, line, cycle);
  struct bank *bank = &caches->bank[directory_home(caches, line->block)];
  bool was_busy = busy(line);
  line->state = row->next;
  bank->under_way += busy(line) - was_busy;
  if (message) message_free(caches, message);
  if (was_busy && !busy(line)) {
    release(caches, &line->first, cycle);
    release(caches, &bank->first, cycle);
  }
}

/* -- Room for a block ----------------------------------------------------------------------------------------------------------- */

/* A frame for the block, or NULL: the message waits, for one being emptied or for any of the bank. */
static struct l2_line *make_room(struct caches *caches, struct message *message, uint64_t cycle) {
  uint32_t ways;
  struct l2_line *set = set_of(caches, message->block, &ways), *victim = NULL;
  for (uint32_t way = 0; way < ways; way++) {
    if (set[way].state == DIR_NP) return &set[way];
    if (!busy(&set[way]) && (!victim || set[way].used < victim->used)) victim = &set[way];
  }
  if (!victim) {
    struct bank *bank = &caches->bank[directory_home(caches, message->block)];
    append(&bank->first, &bank->last, message);
    return NULL;
  }
  step(caches, victim, DIR_EVENT_REPLACE, NULL, cycle);
  append(&victim->first, &victim->last, message);
  return NULL;
}

static void fresh(struct l2_line *line, uint64_t block) {
  line->block = block;
  line->sharers = (struct node_set){{0}};
  line->owner = line->last_writer = NOBODY;
  line->dirty = false;
  line->first = NULL;
}

/* -- Messages that come ------------------------------------------------------------------------------------------------------------ */

static unsigned read_event(const struct caches *caches, const struct l2_line *line, unsigned from) {
  struct node_set others = line->sharers;
  node_set_remove(&others, from);
  bool alone = line->state == DIR_V && node_set_is_empty(&others) && !caches->l1[from].instructions;
  return alone && caches->table.dir[DIR_V][DIR_EVENT_GET_E] ? DIR_EVENT_GET_E : DIR_EVENT_GET_S;
}

static unsigned memory_event(const struct caches *caches, const struct l2_line *line) {
  if (line->request != MESSAGE_GET_S) return DIR_EVENT_MEMORY_M;
  bool exclusive =
      caches->table.dir[DIR_FETCH][DIR_EVENT_MEMORY_E] && !caches->l1[line->requester].instructions;
  return exclusive ? DIR_EVENT_MEMORY_E : DIR_EVENT_MEMORY_S;
}

static unsigned put_event(const struct l2_line *line, const struct message *message) {
  if (line->owner != message->from) return DIR_EVENT_PUT_STALE;
  return message->has_data ? DIR_EVENT_PUT_DIRTY : DIR_EVENT_PUT_CLEAN;
}

static void request(struct caches *caches, struct message *message, uint64_t cycle) {
  struct l2_line *line = directory_find(caches, message->block);
  struct bank *bank = &caches->bank[directory_home(caches, message->block)];
  uint32_t most = caches->machine->config.bank_requests;
  if (most && bank->under_way >= most && !(line && busy(line))) {
    append(&bank->first, &bank->last, message);
    caches->counters.bank_stalls++;
    return;
  }
  if (!line) {
    line = make_room(caches, message, cycle);
    if (!line) return;
    fresh(line, message->block);
  }
  line->used = cycle;
  bank->requests++;
  unsigned event = DIR_EVENT_GET_M, from = message->from;
  if (message->kind == MESSAGE_GET_S)
    event = busy(line) ? DIR_EVENT_GET_S : read_event(caches, line, from);
  else if (message->kind == MESSAGE_UPGRADE && !busy(line) &&
           (line->owner == from || node_set_has(&line->sharers, from)))
    event = DIR_EVENT_UPGRADE;
  step(caches, line, event, message, cycle);
}

static void recall_ack(struct caches *caches, struct l2_line *line, struct message *message, uint64_t cycle) {
  if (message->kind == MESSAGE_RECALL_ACK) {
    line->missing--;
    line->unordered = (int16_t)(line->unordered + message->acks);
  } else {
    line->unordered--;
  }
  bool last = line->missing == 0 && line->unordered == 0;
  step(caches, line, last ? DIR_EVENT_RECALL_LAST : DIR_EVENT_RECALL_ACK, message, cycle);
}

void directory_message(struct caches *caches, struct message *message, uint64_t cycle) {
  uint32_t bank_cycles = caches->machine->config.bank_cycles;
  if (bank_cycles)
    cycle = queue_book(&caches->bank[directory_home(caches, message->block)].queue, cycle, bank_cycles);
  if (message->kind == MESSAGE_GET_S || message->kind == MESSAGE_GET_M || message->kind == MESSAGE_UPGRADE) {
    request(caches, message, cycle);
    return;
  }
  struct l2_line none = {0}, *line = directory_find(caches, message->block);
  if (!line) { /* only a write-back can come for a block that has left */
    fresh(&none, message->block);
    none.state = DIR_NP;
    line = &none;
  }
  switch (message->kind) {
    case MESSAGE_PUT:
      step(caches, line, busy(line) ? DIR_EVENT_PUT : put_event(line, message), message, cycle);
      break;
    case MESSAGE_MEMORY:
      memcpy(message->data, machine_ram(caches->machine, message->block), LINE_BYTES);
      message->has_data = true;
      step(caches, line, memory_event(caches, line), message, cycle);
      break;
    case MESSAGE_COPY_BACK:
      step(caches, line, DIR_EVENT_COPY_BACK, message, cycle);
      break;
    case MESSAGE_UNBLOCK:
      step(caches, line, DIR_EVENT_UNBLOCK, message, cycle);
      break;
    default:
      recall_ack(caches, line, message, cycle);
  }
}

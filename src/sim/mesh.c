/* mesh.c: messages, and how long they travel.
 *
 * Tiles lie in a square; tile n holds port n and L2 bank n (banks are dealt out over the tiles when there are fewer). A message takes one
 * cycle to enter, hop_cycles for every link, and what the seed adds. The network keeps no order. */
#include <stddef.h>

#include "sim/caches.h"

enum { HEADER_BYTES = 8, ENTER_CYCLES = 1 };

static const char to_directory[MESSAGE_KINDS_COUNT] = {
    [MESSAGE_GET_S] = 1,      [MESSAGE_GET_M] = 1,     [MESSAGE_UPGRADE] = 1,
    [MESSAGE_PUT] = 1,        [MESSAGE_COPY_BACK] = 1, [MESSAGE_UNBLOCK] = 1,
    [MESSAGE_RECALL_ACK] = 1, [MESSAGE_PROXY_ACK] = 1, [MESSAGE_MEMORY] = 1,
};

static struct message *another(struct caches *caches) {
  struct message *message = malloc(sizeof *message);
  CHECK(message, "out of memory");
  message->older = caches->all;
  caches->all = message;
  return message;
}

/* Data are left as they are: they are only read when has_data says so. */
struct message *message_new(struct caches *caches, enum message_kind kind, uint64_t block) {
  struct message *message = caches->spare;
  if (message)
    caches->spare = message->next;
  else
    message = another(caches);
  memset((char *)message + offsetof(struct message, next), 0,
         offsetof(struct message, data) - offsetof(struct message, next));
  message->caches = caches;
  message->kind = kind;
  message->block = block;
  message->requester = NOBODY;
  return message;
}

void message_free(struct caches *caches, struct message *message) {
  message->next = caches->spare;
  caches->spare = message;
}

static void arrive(struct machine *machine, void *object, uint64_t cycle) {
  struct message *message = object;
  struct caches *caches = caches_of(machine);
  caches->in_flight--;
  caches->touched = message->block;
  if (to_directory[message->kind])
    directory_message(caches, message, cycle);
  else
    l1_message(&caches->l1[message->to], message, cycle);
}

static void schedule(struct caches *caches, struct message *message, uint64_t cycle) {
  caches->in_flight++;
  machine_at(caches->machine, cycle, arrive, message, cycle);
}

static uint32_t node_tile(const struct caches *caches, unsigned node) {
  return node < caches->ports ? node : node - caches->ports;
}
static uint32_t bank_tile(const struct caches *caches, unsigned bank) {
  return bank * caches->machine->config.harts / caches->banks;
}

static uint32_t links(uint32_t width, bool torus, uint32_t a, uint32_t b) {
  uint32_t x = a % width > b % width ? a % width - b % width : b % width - a % width;
  uint32_t y = a / width > b / width ? a / width - b / width : b / width - a / width;
  if (torus) {
    if (x > width / 2) x = width - x;
    if (y > width / 2) y = width - y;
  }
  return x + y;
}

void mesh_measure(struct caches *caches) {
  const struct sim_config *config = &caches->machine->config;
  uint32_t width = 0;
  while (width * width < caches->ports) width++;
  for (uint32_t a = 0; a < caches->ports; a++)
    for (uint32_t b = 0; b < caches->ports; b++)
      caches->travel[a][b] = ENTER_CYCLES + links(width, config->torus, a, b) * config->hop_cycles;
}

/* xorshift64*: the latencies have a generator of their own, so that nothing else shifts them. */
uint64_t mesh_random(struct caches *caches) {
  uint64_t state = caches->random;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  caches->random = state;
  return state * 0x2545f4914f6cdd1dull;
}

void message_send(struct caches *caches, struct message *message, uint64_t cycle) {
  const struct sim_config *config = &caches->machine->config;
  unsigned kind = message->kind;
  uint32_t bytes = HEADER_BYTES + (message->has_data ? LINE_BYTES : 0);
  if (message->ordered) {
    bytes += caches->hooks->note_bytes;
    caches->counters.note_bytes += caches->hooks->note_bytes;
  }
  caches->counters.messages[kind]++;
  caches->counters.bytes[kind] += bytes;

  if (kind == MESSAGE_MEMORY) { /* the bank's own channel */
    cycle += config->memory_cycles;
  } else {
    uint32_t from = message->from == NOBODY ? bank_tile(caches, directory_home(caches, message->block))
                                            : node_tile(caches, message->from);
    uint32_t to = to_directory[kind] ? bank_tile(caches, directory_home(caches, message->block))
                                     : node_tile(caches, message->to);
    cycle += caches->travel[from][to];
  }
  if (config->perturb_cycles) cycle += (mesh_random(caches) >> 32) % (config->perturb_cycles + 1);
  schedule(caches, message, cycle);
}

void message_again(struct caches *caches, struct message *message, uint64_t cycle) {
  schedule(caches, message, cycle);
}

uint32_t mesh_wake_up(struct machine *machine, uint32_t from, uint32_t to) {
  struct caches *caches = caches_of(machine);
  caches->counters.messages[MESSAGE_WAKE]++;
  caches->counters.bytes[MESSAGE_WAKE] += HEADER_BYTES;
  return caches->travel[from][to];
}

uint32_t mesh_lookahead(const struct caches *caches) {
  return 2 * ENTER_CYCLES + caches->machine->config.l2_cycles;
}

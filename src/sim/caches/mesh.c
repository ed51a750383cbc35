/* mesh.c: messages, and how long they travel.
 *
 * Tiles lie in a square; tile n holds port n and L2 bank n (banks are dealt out over the tiles when there are fewer). A message takes one
 * cycle to enter, hop_cycles for every link, and what the seed adds. It goes along its row first, then along its column, then through the link
 * into its tile; when links have a rate, it uses each for as long as its bits take, waits for those that are used, and has
 * arrived when its last bit has. The network keeps no order. */
#include <stddef.h>

#include "sim/caches/caches.h"

enum { HEADER_BITS = 64, ENTER_CYCLES = 1 };
enum { LINK_EAST, LINK_WEST, LINK_SOUTH, LINK_NORTH, LINK_IN, LINKS_PER_TILE };

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
  uint32_t width = 1;
  while (width * width < caches->ports) width++;
  caches->width = width;
  if (config->link_rate)
    caches->links = calloc((size_t)width * width * LINKS_PER_TILE, sizeof *caches->links);
  CHECK(caches->links || !config->link_rate, "out of memory");
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

/* -- Links ------------------------------------------------------------------------------------------------------------- */

/* The next step from one place of a row or column to another: forwards unless the other way is shorter. */
static bool is_forward(uint32_t from, uint32_t to, uint32_t width, bool torus) {
  uint32_t distance = to > from ? to - from : from - to;
  return (to > from) == (!torus || distance <= width / 2);
}

/* When the last bit is out of the last link. Uses them all. */
static uint64_t travel_over(struct caches *caches, uint32_t from, uint32_t to, uint32_t bits,
                            uint64_t cycle) {
  const struct sim_config *config = &caches->machine->config;
  uint32_t width = caches->width, x = from % width, y = from / width;
  uint32_t count = (uint32_t)(((uint64_t)bits * config->clock_mhz + 8ull * config->link_rate - 1) /
                              (8ull * config->link_rate));
  uint64_t last = cycle += ENTER_CYCLES, start = cycle;
  for (bool arrived = from == to; !arrived;) {
    uint32_t link = (y * width + x) * LINKS_PER_TILE;
    if (x != to % width) {
      bool forward = is_forward(x, to % width, width, config->torus);
      link += forward ? LINK_EAST : LINK_WEST;
      x = (x + (forward ? 1 : width - 1)) % width;
    } else {
      bool forward = is_forward(y, to / width, width, config->torus);
      link += forward ? LINK_SOUTH : LINK_NORTH;
      y = (y + (forward ? 1 : width - 1)) % width;
    }
    cycle = link_book(&caches->links[link], cycle, count, &last) + config->hop_cycles;
    arrived = x == to % width && y == to / width;
  }
  link_book(&caches->links[to * LINKS_PER_TILE + LINK_IN], cycle, count, &last);
  caches->counters.link_cycles += last + 1 - start - (caches->travel[from][to] - ENTER_CYCLES) - count;
  return last;
}

static uint64_t travel(struct caches *caches, uint32_t from, uint32_t to, uint32_t bits, uint64_t cycle) {
  return caches->links ? travel_over(caches, from, to, bits, cycle) : cycle + caches->travel[from][to];
}

uint64_t memory_book(struct caches *caches, uint32_t bank, uint64_t cycle) {
  const struct sim_config *config = &caches->machine->config;
  if (!config->memory_rate) return cycle;
  uint64_t cycles =
      ((uint64_t)LINE_BYTES * config->clock_mhz + config->memory_rate - 1) / config->memory_rate;
  return queue_book(&caches->channel[bank % config->memory_channels], cycle, (uint32_t)cycles);
}

/* -- Sending ----------------------------------------------------------------------------------------------------------- */

void message_send(struct caches *caches, struct message *message, uint64_t cycle) {
  const struct sim_config *config = &caches->machine->config;
  unsigned kind = message->kind, home = directory_home(caches, message->block);
  uint32_t bits = HEADER_BITS + (message->has_data ? LINE_BYTES * 8 : 0);
  if (message->ordered) {
    bits += caches->hooks->note_bits;
    caches->counters.note_bits += caches->hooks->note_bits;
  }
  caches->counters.messages[kind]++;
  caches->counters.bits[kind] += bits;

  if (kind == MESSAGE_MEMORY) { /* the bank's own channel */
    cycle = memory_book(caches, home, cycle) + config->memory_cycles;
  } else {
    uint32_t from = message->from == NOBODY ? bank_tile(caches, home) : node_tile(caches, message->from);
    uint32_t to = to_directory[kind] ? bank_tile(caches, home) : node_tile(caches, message->to);
    cycle = travel(caches, from, to, bits, cycle);
  }
  if (config->perturb_cycles) cycle += (mesh_random(caches) >> 32) % (config->perturb_cycles + 1);
  schedule(caches, message, cycle);
}

void message_again(struct caches *caches, struct message *message, uint64_t cycle) {
  schedule(caches, message, cycle);
}

uint64_t mesh_wake_up(struct machine *machine, uint32_t from, uint32_t to, uint64_t cycle) {
  struct caches *caches = caches_of(machine);
  caches->counters.messages[MESSAGE_WAKE]++;
  caches->counters.bits[MESSAGE_WAKE] += HEADER_BITS;
  return travel(caches, from, to, HEADER_BITS, cycle);
}

uint32_t mesh_lookahead(const struct caches *caches) {
  return 2 * ENTER_CYCLES + caches->machine->config.l2_cycles;
}

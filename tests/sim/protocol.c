/* protocol.c: the coherence protocol under random accesses, after Wood, Gibson and Katz.
 *
 *   protocol [-n ACCESSES] [-v]     in all, over all configurations; -v prints the coverage
 *
 * Few blocks, caches that hold fewer, random latencies. After every step (an access, or the arrival of a message) the block that it
 * touched is checked: one writer or many readers, all readable copies have the bytes last stored, the directory knows
 * all copies. A load must return the last store; with store buffers its own port's last one, if that has not reached the cache, and
 * stores reach the cache in their order. A store-conditional succeeds if and only if no other port has stored to the block since its load. Links, banks, channels and MSHRs have limits in some configurations. In the end every row of the protocol's table must have been taken, without and with store buffers. */
#include <unistd.h>

#include "support.h"

enum { BLOCKS = 7, PAGE = 0x1000, CONFIGURATIONS = 64, MOST_BUFFERED = 8 };

/* What a port's store buffer must hold, oldest first. */
struct expected_stores {
  unsigned count;
  struct {
    unsigned block, offset, size;
    uint8_t data[8];
  } store[MOST_BUFFERED + 1];
};

static struct trial {
  uint64_t random, accesses;
  struct expected_stores buffered[NODES];
  uint8_t golden[BLOCKS][LINE_BYTES];
  unsigned reserved[NODES]; /* the block + 1 that the port's store-conditional must succeed for */
  struct {
    struct access access;
    uint8_t data[LINE_BYTES];
    bool chosen;
    unsigned block;
  } port[NODES];
} trial;

/* Far apart enough to fall into one set, or next to each other. */
static uint64_t block_address(unsigned block) {
  return PAGE + (uint64_t)block * LINE_BYTES * (block & 1 ? 16 : 1);
}

static void choose(struct port *port) {
  struct access *access = &trial.port[port->number].access;
  uint8_t *data = trial.port[port->number].data;
  bool device = port->number >= port->machine->config.harts;
  unsigned block = (unsigned)support_below(&trial.random, BLOCKS),
           size = 1u << support_below(&trial.random, 4);
  bool fences = port->machine->config.tso;
  unsigned kind = (unsigned)support_below(&trial.random, device   ? 2
                                                         : fences ? ACCESS_FENCE + 1
                                                                  : ACCESS_FENCE);
  /* Loads and stores to few words, most of the time: so that several stores to one are in a buffer. */
  bool crowded = fences && support_below(&trial.random, 4);
  if (crowded) kind = (unsigned)support_below(&trial.random, 2);
  bool whole = device || support_below(&trial.random, 16) == 0;
  if (kind >= ACCESS_LR && kind <= ACCESS_AMO && size < 4) size = 4;
  if (whole && kind > ACCESS_STORE) kind = ACCESS_LOAD;
  if (whole) size = LINE_BYTES;
  uint64_t address =
      block_address(block) + support_below(&trial.random, (crowded && !whole ? 8 : LINE_BYTES) / size) * size;
  *access = (struct access){.vaddr = address,
                            .paddr = address,
                            .kind = (uint8_t)kind,
                            .size = (uint8_t)size,
                            .amo = (uint8_t)support_below(&trial.random, AMO_MAXU + 1),
                            .kernel = whole,
                            .data = data};
  for (unsigned n = 0; n < size; n += 8) {
    uint64_t word = support_random(&trial.random);
    memcpy(data + n, &word, size < 8 ? size : 8);
  }
  trial.port[port->number].chosen = true;
  trial.port[port->number].block = block;
}

/* -- Store buffers ---------------------------------------------------------------------------------------------------- */

static uint32_t buffered(const struct port *port) {
  const struct l1 *l1 = port->memory;
  return l1->store_buffer ? l1->store_buffer->count : 0;
}

static void expect_store(const struct port *port, const uint8_t *data) {
  struct expected_stores *stores = &trial.buffered[port->number];
  const struct access *access = &trial.port[port->number].access;
  unsigned n = stores->count++;
  CHECK(n < MOST_BUFFERED, "port %u buffers too many stores", port->number);
  stores->store[n].block = trial.port[port->number].block;
  stores->store[n].offset = access->paddr % LINE_BYTES;
  stores->store[n].size = access->size;
  memcpy(stores->store[n].data, data, access->size);
}

/* A store to the block is visible: nobody else's store-conditional may succeed. */
static void take_reservations(const struct port *by, unsigned block) {
  for (uint32_t n = 0; n < by->machine->port_count; n++)
    if (n != by->number && trial.reserved[n] == block + 1) trial.reserved[n] = 0;
}

/* Those that have left the buffer are in the cache now. */
static void stores_arrive(struct port *port) {
  struct expected_stores *stores = &trial.buffered[port->number];
  while (stores->count > buffered(port)) {
    unsigned block = stores->store[0].block;
    memcpy(trial.golden[block] + stores->store[0].offset, stores->store[0].data, stores->store[0].size);
    memmove(stores->store, stores->store + 1, --stores->count * sizeof *stores->store);
    take_reservations(port, block);
    caches_check(caches_of(port->machine), block_address(block), trial.golden[block]);
  }
}

/* The bytes that a port must see of a block. */
static void seen_by(const struct port *port, unsigned block, uint8_t bytes[LINE_BYTES]) {
  const struct expected_stores *stores = &trial.buffered[port->number];
  memcpy(bytes, trial.golden[block], LINE_BYTES);
  for (unsigned n = 0; n < stores->count; n++)
    if (stores->store[n].block == block)
      memcpy(bytes + stores->store[n].offset, stores->store[n].data, stores->store[n].size);
}

/* -- Accesses --------------------------------------------------------------------------------------------------------- */

/* The access has been performed: what it returned is what was stored last, and what it stored is that from now on. */
static void performed(struct port *port, const uint8_t *before) {
  const struct access *access = &trial.port[port->number].access;
  unsigned block = trial.port[port->number].block, offset = access->paddr % LINE_BYTES;
  uint8_t *golden = &trial.golden[block][offset], seen[LINE_BYTES];
  unsigned kind = access->kind, size = access->size;
  trial.accesses++;
  port->position++;
  if (kind == ACCESS_FETCH) return;
  if (kind == ACCESS_FENCE) {
    CHECK(!buffered(port), "port %u passed a fence with stores in its buffer", port->number);
    return;
  }
  seen_by(port, block, seen);
  if (kind == ACCESS_LOAD || kind == ACCESS_LR || kind == ACCESS_AMO)
    CHECK(!memcmp(seen + offset, access->data, size), "port %u read an old value of %lx", port->number,
          (unsigned long)access->paddr);
  if (kind == ACCESS_LR) trial.reserved[port->number] = block + 1;
  if (kind == ACCESS_SC) {
    CHECK(access->failed == (trial.reserved[port->number] != block + 1),
          "port %u, block %u: a store-conditional %s", port->number, block,
          access->failed ? "failed without a reason" : "succeeded after another's store");
    trial.reserved[port->number] = 0;
  }
  if (kind == ACCESS_STORE && buffered(port) > trial.buffered[port->number].count) {
    expect_store(port, before);
    return;
  }
  if (kind == ACCESS_STORE || kind == ACCESS_AMO || (kind == ACCESS_SC && !access->failed))
    take_reservations(port, block);
  if (kind == ACCESS_STORE || (kind == ACCESS_SC && !access->failed)) memcpy(golden, before, size);
  if (kind == ACCESS_AMO) {
    uint64_t old = 0, operand = 0;
    memcpy(&old, golden, size);
    memcpy(&operand, before, size);
    uint64_t result = amo_result(access->amo, size, old, operand);
    memcpy(golden, &result, size);
  }
}

/* As a hart does: accesses through fast lines where it has them, else through the memory system. */
static bool fast(struct port *port, struct access *access) {
  if (access->kernel || access->kind > ACCESS_STORE) return false;
  struct fast_table *table = access->kind == ACCESS_STORE ? port->stores : port->loads;
  struct fast_line *line = &table->line[fast_index(access->vaddr)];
  if (line->tag != line_of(access->vaddr) + table->epoch) return false;
  access_apply(port, access, line->host); /* as a hart does, which tells nobody */
  *line->used = port_time(port);
  port->cycle += port->hit_cycles;
  return true;
}

static void run(struct port *port) {
  uint8_t before[LINE_BYTES];
  while (port->cycle < port->horizon && !port->waiting) {
    unsigned number = port->number;
    if (!trial.port[number].chosen) choose(port);
    struct access *access = &trial.port[number].access;
    memcpy(before, access->data, LINE_BYTES);
    unsigned block = trial.port[number].block;
    if (!fast(port, access) && port->machine->system->access(port, access) == ACCESS_WAIT) {
      port->waiting = true;
    } else {
      trial.port[number].chosen = false;
      performed(port, before);
      port->cycle += support_below(&trial.random, 4);
    }
    caches_check(caches_of(port->machine), block_address(block), trial.golden[block]);
  }
}

/* A thread that waits is taken off its hart, and another begins there with something else. */
static void interrupt_someone(struct machine *machine) {
  struct port *port = machine->ports[support_below(&trial.random, machine->port_count)];
  if (!port->waiting) return;
  trial.port[port->number].chosen = false;
  port_wake(port, machine->cycle);
}

static void check_touched(struct caches *caches) {
  for (unsigned block = 0; block < BLOCKS; block++)
    if (block_address(block) == caches->touched) caches_check(caches, caches->touched, trial.golden[block]);
}

static bool always_reply(struct machine *machine, struct port *from, struct port *to, uint64_t block,
                         bool write, enum reply_for what) {
  (void)machine, (void)from, (void)to, (void)block, (void)write, (void)what;
  return true;
}
static void ignore_touch(struct port *port, uint64_t block, bool write, bool code) {
  (void)port, (void)block, (void)write, (void)code;
}
static void ignore_full(struct port *port) {
  (void)port;
}
static void ignore_value(struct port *port, uint64_t position, const uint8_t *data, uint32_t size) {
  (void)port, (void)position, (void)data, (void)size;
}
static struct port *modulo_proxy(struct machine *machine, uint64_t block) {
  return machine->ports[block / LINE_BYTES % machine->config.harts];
}
static struct port *modulo_evicted(struct machine *machine, struct port *port, uint64_t block) {
  struct port *proxy = modulo_proxy(machine, block);
  return proxy == port ? NULL : proxy;
}
static const struct caches_hooks hooks = {
    always_reply, ignore_touch, ignore_full, modulo_evicted, modulo_proxy, NULL, NULL, ignore_value, 64};

static void add_coverage(struct protocol_table *sum, const struct protocol_table *table) {
  for (unsigned state = 0; state < L1_STATES_COUNT; state++)
    for (unsigned event = 0; event < L1_EVENTS_COUNT; event++)
      sum->l1_taken[state][event] += table->l1_taken[state][event];
  for (unsigned state = 0; state < DIR_STATES_COUNT; state++)
    for (unsigned event = 0; event < DIR_EVENTS_COUNT; event++)
      sum->dir_taken[state][event] += table->dir_taken[state][event];
}

/* No port begins anything new, and all that is buffered or on its way arrives. */
static void settle(struct machine *machine) {
  for (uint32_t n = 0; n < machine->port_count; n++) machine->ports[n]->run = NULL;
  while (machine_turn(machine) != TURN_NONE)
    for (uint32_t n = 0; n < machine->port_count; n++) stores_arrive(machine->ports[n]);
  machine->system->drain(machine);
}

/* Links so narrow that most messages wait, queues as short as they can be, and neither. */
static void set_limits(struct sim_config *config, unsigned number) {
  static const uint32_t rates[] = {0, 200, 3000};
  config->link_rate = rates[number % 3];
  config->memory_rate = rates[number / 3 % 3];
  config->bank_cycles = number / 2 % 4;
  config->bank_requests = number / 7 % 3;
  config->misses = config->tso ? number / 5 % 2 * 2 : number / 5 % 3;
  config->write_backs = 1 + number % 4;
  config->torus = number / 11 % 2;
}

static void one_configuration(unsigned number, bool tso, uint64_t accesses, struct protocol_table *sum) {
  uint32_t harts = number == 62 ? 64 : number % 3 == 0 ? 2 : number % 3 == 1 ? 4 : 16;
  struct sim_config config = support_config(harts, number);
  config.protocol = number / 2 % 2 ? PROTOCOL_MOSI : PROTOCOL_MESI;
  config.l1_ways = 1 + number / 4 % 2;
  config.l1_bytes = LINE_BYTES * config.l1_ways * (1u << number / 8 % 3);
  config.l2_banks = 1 + number / 3 % 2;
  config.l2_ways = number / 16 % 2 ? 4 : 1 + number % 2;
  config.l2_bytes = (uint64_t)LINE_BYTES * config.l2_banks * config.l2_ways * 2;
  config.perturb_cycles = number % 5 == 0 ? 0 : number % 5 == 1 ? 3 : 60;
  config.hop_cycles = number % 4;
  config.tso = tso;
  config.store_buffer = number / 5 % 3 == 0 ? 1 : number / 5 % 3 == 1 ? 3 : MOST_BUFFERED;
  set_limits(&config, number);
  memset(&trial, 0, sizeof trial);
  trial.random = number;
  struct machine *machine = support_machine(&config, run, number % 2);
  struct caches *caches = caches_of(machine);
  if (number % 8 != 7) caches->hooks = &hooks;
  while (trial.accesses < accesses) {
    enum turn turn = machine_turn(machine);
    CHECK(turn != TURN_NONE, "nothing can happen any more, after %lu accesses",
          (unsigned long)trial.accesses);
    if (turn == TURN_EVENT) {
      for (uint32_t n = 0; tso && n < harts; n++) stores_arrive(machine->ports[n]);
      check_touched(caches);
    }
    if (support_below(&trial.random, 32) == 0) interrupt_someone(machine);
  }
  settle(machine);
  for (unsigned block = 0; block < BLOCKS; block++)
    support_check(!memcmp(machine_ram(machine, block_address(block)), trial.golden[block], LINE_BYTES),
                  "configuration %u: block %u after draining", number, block);
  add_coverage(sum + (config.protocol == PROTOCOL_MOSI), &caches->table);
  support_free(machine);
}

int main(int argc, char **argv) {
  static const char *const names[] = {"MESI", "MOSI", "MESI with store buffers", "MOSI with store buffers"};
  static struct protocol_table sum[4];
  uint64_t accesses = 2000000;
  bool verbose = false;
  for (int option; (option = getopt(argc, argv, "n:v")) != -1;) {
    if (option == 'n') accesses = strtoull(optarg, NULL, 0);
    if (option == 'v') verbose = true;
  }
  for (unsigned n = 0; n < 4; n++) protocol_load(&sum[n], n % 2 ? PROTOCOL_MOSI : PROTOCOL_MESI);
  for (unsigned number = 0; number < CONFIGURATIONS; number++)
    for (unsigned tso = 0; tso < 2; tso++)
      one_configuration(number, tso, accesses / CONFIGURATIONS / 2, sum + 2 * tso);
  FILE *out = verbose ? stdout : fopen("/dev/null", "w");
  for (int n = 0; n < 4; n++) {
    fprintf(out, "%s\n", names[n]);
    unsigned missing = protocol_coverage(&sum[n], out);
    support_check(!missing, "%s: %u rows of the table were never taken", names[n], missing);
  }
  return support_end();
}

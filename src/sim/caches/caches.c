/* caches.c: the memory system with caches, as its ports see it: building it, accesses, draining. See caches.h. */
#include "sim/caches/caches.h"

/* -- Building --------------------------------------------------------------------------------------------------------- */

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  CHECK(memory, "out of memory");
  return memory;
}

static void build_l1(struct caches *caches, unsigned node, struct port *port, bool instructions) {
  const struct sim_config *config = &caches->machine->config;
  struct l1 *l1 = &caches->l1[node];
  l1->caches = caches;
  l1->port = port;
  l1->node = (uint8_t)node;
  l1->instructions = instructions;
  l1->ways = config->l1_ways;
  l1->sets = (uint32_t)(config->l1_bytes / LINE_BYTES / l1->ways);
  l1->lines = allocate((size_t)l1->sets * l1->ways, sizeof *l1->lines);
}

static void build_bank(struct caches *caches, struct bank *bank) {
  const struct sim_config *config = &caches->machine->config;
  bank->ways = config->l2_ways;
  bank->sets = (uint32_t)(config->l2_bytes / LINE_BYTES / bank->ways / caches->banks);
  bank->lines = allocate((size_t)bank->sets * bank->ways, sizeof *bank->lines);
}

void caches_begin(struct machine *machine) {
  struct caches *caches = allocate(1, sizeof *caches);
  const struct sim_config *config = &machine->config;
  machine->memory = caches;
  machine->system = &cached_memory;
  caches->machine = machine;
  caches->ports = machine->port_count;
  caches->nodes = caches->ports + config->harts;
  CHECK(caches->nodes <= NODES, "%u caches: the directory has bits for %d", caches->nodes, NODES);
  caches->banks = config->l2_banks;
  while (1u << caches->bank_shift < caches->banks) caches->bank_shift++;
  mesh_measure(caches);
  protocol_load(&caches->table, config->protocol);
  for (uint32_t n = 0; n < caches->ports; n++) {
    struct port *port = machine->ports[n];
    build_l1(caches, n, port, false);
    if (n < config->harts) build_l1(caches, caches->ports + n, port, true);
    port->memory = &caches->l1[n];
    port->hit_cycles = config->l1_cycles;
    if (config->tso && n < config->harts) caches->l1[n].store_buffer = store_buffer_new(config->store_buffer);
  }
  caches->bank = allocate(caches->banks, sizeof *caches->bank);
  for (uint32_t n = 0; n < caches->banks; n++) build_bank(caches, &caches->bank[n]);
  caches->random = config->seed * 2 + 1;           /* never zero */
  for (int n = 0; n < 8; n++) mesh_random(caches); /* seeds that differ in few bits start alike */
  if (config->checkpoint_cycles) caches->checkpoints = checkpoint_log_new(machine, config->checkpoint_cycles);
  machine->lookahead = mesh_lookahead(caches);
}

void cached_memory_end(struct machine *machine) {
  struct caches *caches = caches_of(machine);
  if (!caches) return;
  for (uint32_t n = 0; n < caches->nodes; n++) {
    free(caches->l1[n].lines);
    store_buffer_free(caches->l1[n].store_buffer);
  }
  for (uint32_t n = 0; n < caches->banks; n++) free(caches->bank[n].lines);
  while (caches->all) {
    struct message *next = caches->all->older;
    free(caches->all);
    caches->all = next;
  }
  checkpoint_log_free(caches->checkpoints);
  free(caches->bank);
  free(caches->links);
  free(caches);
  machine->memory = NULL;
}

/* -- Accesses --------------------------------------------------------------------------------------------------------- */

static bool writes(unsigned kind) {
  return kind == ACCESS_STORE || kind == ACCESS_SC || kind == ACCESS_AMO;
}

/* The next access to the line needs no call, until port_drop. Where a recorder's filters tell reads from writes, a read does not
   make writes fast. */
static void grant_fast(struct port *port, const struct access *access, struct l1_line *line, bool write) {
  if (access->kernel) return;
  if (access->kind == ACCESS_FETCH) {
    port_grant(&port->own_fetches, access, line->data, &line->used);
    return;
  }
  port_grant(&port->own_loads, access, line->data, &line->used);
  if (write && line->state == L1_M) port_grant(&port->own_stores, access, line->data, &line->used);
}

static enum access_result cached_access(struct port *port, struct access *access) {
  struct caches *caches = caches_of(port->machine);
  struct store_buffer *buffer = caches->l1[port->number].store_buffer;
  enum access_result result;
  if (buffer && store_buffer_access(port, access, &result)) return result;
  if (access->kind == ACCESS_FENCE) return ACCESS_DONE;
  bool fetch = access->kind == ACCESS_FETCH, write = writes(access->kind);
  uint64_t block = line_of(access->paddr);
  struct l1 *l1 = fetch ? &caches->l1[caches->ports + port->number] : &caches->l1[port->number];
  struct l1_line *line = l1_access(l1, block, write, false, port->cycle);
  if (!line) return ACCESS_WAIT;
  if (caches->hooks) {
    if (port->references >= port->references_stop && !fetch) caches->hooks->full(port);
    caches->hooks->touch(port, block, write, fetch);
  }
  if (caches->checkpoints) {
    checkpoint_log_look(caches->checkpoints, port->cycle);
    if (write && checkpoint_log_update(caches->checkpoints, block, line->data))
      caches_log(port, LOG_CACHE_CHECKPOINT, CHECKPOINT_ENTRY);
  }
  if (fetch) {
    grant_fast(port, access, line, false);
    return ACCESS_DONE;
  }
  access_perform(port, access, line->data);
  /* A store-conditional that failed has not taken others' reservations away: the next store has to. */
  grant_fast(port, access, line, write && !(access->kind == ACCESS_SC && access->failed));
  if (access->kind == ACCESS_LOAD) {
    if (buffer) store_buffer_loaded(port, access);
    if (caches->loaded) caches->loaded(port, access);
  }
  port->cycle += port->hit_cycles;
  if (caches->l1[port->number].stalled_until > port->cycle)
    port->cycle = caches->l1[port->number].stalled_until;
  return ACCESS_DONE;
}

void caches_log(struct port *port, enum log_kind kind, uint64_t bytes) {
  struct machine *machine = port->machine;
  if (machine->system != &cached_memory) return;
  struct caches *caches = caches_of(machine);
  uint64_t now = machine->running == port ? port->cycle : machine->cycle;
  uint64_t until =
      log_buffer_add(&caches->log_buffer[port->number][kind], &machine->config, kind, now, bytes);
  struct l1 *l1 = &caches->l1[port->number];
  if (until > now && until > l1->stalled_until) l1->stalled_until = until;
}

/* -- At the end ------------------------------------------------------------------------------------------------------- */

/* Messages that are on their way arrive; no port runs. */
static void settle(struct machine *machine) {
  while (caches_of(machine)->in_flight) {
    struct event event = calendar_take(machine->calendar);
    machine->cycle = event.cycle;
    event.function(machine, event.object, event.argument);
  }
}

static void drain(struct machine *machine) {
  struct caches *caches = caches_of(machine);
  settle(machine);
  for (uint32_t n = 0; n < caches->banks; n++) {
    struct bank *bank = &caches->bank[n];
    for (uint32_t at = 0; at < bank->sets * bank->ways; at++) {
      struct l2_line *line = &bank->lines[at];
      if (line->state != DIR_NP)
        memcpy(machine_ram(machine, line->block), caches_newest(caches, line->block), LINE_BYTES);
    }
  }
}

/* Nothing is on its way, so every line is in a stable state and can go without a word. */
static void forget(struct machine *machine, uint64_t paddr) {
  struct caches *caches = caches_of(machine);
  settle(machine);
  for (uint64_t block = paddr; block < paddr + PAGE_BYTES; block += LINE_BYTES) {
    for (uint32_t n = 0; n < caches->nodes; n++) {
      struct l1_line *line = l1_find(&caches->l1[n], block);
      if (line) line->state = L1_I;
      port_drop(caches->l1[n].port, block, PORT_ALL);
    }
    struct l2_line *line = directory_find(caches, block);
    if (line) line->state = DIR_NP;
  }
}

static void released(struct machine *machine, uint64_t paddr) {
  struct caches *caches = caches_of(machine);
  if (!caches || !caches->checkpoints) return;
  settle(machine);
  for (uint64_t block = paddr; block < paddr + PAGE_BYTES; block += LINE_BYTES)
    checkpoint_log_update(caches->checkpoints, block, caches_newest(caches, block));
}

const struct memory_system cached_memory = {
    .access = cached_access,
    .drain = drain,
    .forget = forget,
    .released = released,
    .end = cached_memory_end,
    .name = "caches",
};

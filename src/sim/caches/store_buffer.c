/* store_buffer.c: see store_buffer.h. */
#include "sim/caches/store_buffer.h"

#include "sim/caches/caches.h"

struct store_buffer *store_buffer_new(uint32_t room) {
  struct store_buffer *buffer = calloc(1, sizeof *buffer);
  CHECK(buffer && (buffer->stores = calloc(room, sizeof *buffer->stores)), "out of memory");
  buffer->room = room;
  return buffer;
}

void store_buffer_free(struct store_buffer *buffer) {
  if (buffer) free(buffer->stores);
  free(buffer);
}

static struct l1 *cache_of(const struct port *port) {
  return port->memory;
}

static struct store_buffer *buffer_of(const struct port *port) {
  return cache_of(port)->store_buffer;
}

static struct buffered_store *store_at(struct store_buffer *buffer, uint32_t n) {
  return &buffer->stores[(buffer->first + n) % buffer->room];
}
static struct early_load *early_at(struct store_buffer *buffer, uint32_t n) {
  return &buffer->early[(buffer->early_first + n) % EARLY_LOADS];
}

uint64_t store_buffer_position(const struct port *port) {
  struct store_buffer *buffer = port->memory ? buffer_of(port) : NULL;
  return buffer && buffer->count ? store_at(buffer, 0)->position : port->position;
}

/* -- Loads that went ahead --------------------------------------------------------------------------------------------- */

void store_buffer_loaded(struct port *port, const struct access *access) {
  struct store_buffer *buffer = buffer_of(port);
  if (!buffer->count) return;
  struct early_load *load = early_at(buffer, buffer->early_count++);
  *load = (struct early_load){line_of(access->paddr), port->position, access->size, false, {0}};
  memcpy(load->data, access->data, access->size);
}

void store_buffer_lost(struct port *port, uint64_t block) {
  struct store_buffer *buffer = buffer_of(port);
  if (!buffer) return;
  for (uint32_t n = 0; n < buffer->early_count; n++)
    if (early_at(buffer, n)->block == block) early_at(buffer, n)->problematic = true;
}

/* Those before the first store are ordered now. */
static void settle_loads(struct port *port, struct store_buffer *buffer) {
  const struct caches_hooks *hooks = cache_of(port)->caches->hooks;
  uint64_t position = buffer->count ? store_at(buffer, 0)->position : UINT64_MAX;
  while (buffer->early_count && early_at(buffer, 0)->position < position) {
    struct early_load *load = early_at(buffer, 0);
    if (load->problematic && hooks) hooks->value(port, load->position, load->data, load->size);
    buffer->early_first = (buffer->early_first + 1) % EARLY_LOADS;
    buffer->early_count--;
  }
}

void store_buffer_early(struct port *port, void (*touch)(struct port *port, uint64_t block)) {
  struct store_buffer *buffer = port->memory ? buffer_of(port) : NULL;
  for (uint32_t n = 0; buffer && n < buffer->early_count; n++) touch(port, early_at(buffer, n)->block);
}

/* -- Stores on their way ------------------------------------------------------------------------------------------------- */

static void next_store(struct machine *machine, void *object, uint64_t cycle) {
  (void)machine;
  store_buffer_go_on(object, cycle);
}

/* Fast lines are for an empty buffer: a load must look into it first, and a store may not overtake. */
static void show_tables(struct port *port, bool empty) {
  port->loads = empty ? &port->own_loads : &fast_empty;
  port->stores = empty ? &port->own_stores : &fast_empty;
}

static void perform_first(struct port *port, struct store_buffer *buffer, struct l1_line *line) {
  struct caches *caches = cache_of(port)->caches;
  struct buffered_store *store = store_at(buffer, 0);
  if (caches->hooks) caches->hooks->touch(port, line->block, true, false);
  if (caches->checkpoints && checkpoint_log_update(caches->checkpoints, line->block, line->data))
    caches_log(port, LOG_CACHE_CHECKPOINT, CHECKPOINT_ENTRY);
  memcpy(line->data + store->paddr % LINE_BYTES, store->data, store->size);
  reservations_lost(port->machine, port, store->paddr);
  buffer->first = (buffer->first + 1) % buffer->room;
  buffer->count--;
  settle_loads(port, buffer);
}

void store_buffer_go_on(struct port *port, uint64_t cycle) {
  struct store_buffer *buffer = buffer_of(port);
  buffer->draining = buffer->stalled = false;
  if (!buffer->count) return;
  buffer->draining = true;
  struct l1_line *line = l1_access(cache_of(port), line_of(store_at(buffer, 0)->paddr), true, true, cycle);
  if (!line) return;
  perform_first(port, buffer, line);
  if (buffer->waited) {
    buffer->waited = false;
    if (port->waiting) port_wake(port, cycle);
  }
  buffer->draining = buffer->count;
  if (buffer->count)
    machine_at(port->machine, cycle + 1, next_store, port, cycle + 1);
  else
    show_tables(port, true);
}

static void push(struct port *port, struct store_buffer *buffer, const struct access *access) {
  struct buffered_store *store = store_at(buffer, buffer->count++);
  *store = (struct buffered_store){access->paddr, port->position, access->size, {0}};
  memcpy(store->data, access->data, access->size);
  port->references++;
  show_tables(port, false);
  if (buffer->draining) return;
  buffer->draining = true;
  machine_at(port->machine, port->cycle + 1, next_store, port, port->cycle + 1);
}

/* -- Accesses ------------------------------------------------------------------------------------------------------------- */

enum overlap { OVERLAP_NONE, OVERLAP_ALL, OVERLAP_PART };

/* The youngest store that overlaps decides. */
static enum overlap forward(struct store_buffer *buffer, struct access *access) {
  for (uint32_t n = buffer->count; n--;) {
    struct buffered_store *store = store_at(buffer, n);
    uint64_t end = store->paddr + store->size, wanted = access->paddr + access->size;
    if (store->paddr >= wanted || end <= access->paddr) continue;
    if (store->paddr > access->paddr || end < wanted) return OVERLAP_PART;
    memcpy(access->data, store->data + (access->paddr - store->paddr), access->size);
    return OVERLAP_ALL;
  }
  return OVERLAP_NONE;
}

static bool store_hits(struct port *port, const struct access *access) {
  struct l1_line *line = l1_find(cache_of(port), line_of(access->paddr));
  return line && line->state == L1_M;
}

bool store_buffer_access(struct port *port, struct access *access, enum access_result *result) {
  struct store_buffer *buffer = buffer_of(port);
  *result = ACCESS_DONE;
  bool replays =
      port->thread && port->thread->sphere->mode == SPHERE_REPLAY; /* in program order, see store_buffer.h */
  if (access->kind == ACCESS_FETCH || (replays && !buffer->count)) return access->kind == ACCESS_FENCE;
  if (!buffer->count && (access->kind != ACCESS_STORE || access->kernel || store_hits(port, access)))
    return access->kind == ACCESS_FENCE;
  if (access->kind == ACCESS_STORE && !access->kernel && buffer->count < buffer->room) {
    push(port, buffer, access);
    port->cycle += port->hit_cycles;
    return true;
  }
  enum overlap overlap = OVERLAP_PART;
  if (access->kind == ACCESS_LOAD && !access->kernel && buffer->early_count < EARLY_LOADS)
    overlap = forward(buffer, access);
  if (overlap == OVERLAP_NONE) return false;
  if (overlap == OVERLAP_ALL) {
    store_buffer_loaded(port, access);
    port->references++;
    port->cycle += port->hit_cycles;
    return true;
  }
  /* Atomics, fences, the kernel, a full buffer, a load of which only a part is in it. */
  buffer->waited = true;
  *result = ACCESS_WAIT;
  return true;
}

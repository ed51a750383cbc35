/* bulk.c: see bulk.h. */
#include "sim/caches/bulk.h"

#include <stdlib.h>

#include "sim/machine/check.h"

/* -- Signatures -------------------------------------------------------------------------------------------------------- */

static void bits_of(uint64_t block, unsigned bit[2]) {
  uint64_t hash = (block >> LINE_SHIFT) * 0x9e3779b97f4a7c15ull;
  bit[0] = (unsigned)(hash >> 20) % SIGNATURE_BITS;
  bit[1] = (unsigned)(hash >> 44) % SIGNATURE_BITS;
}

void signature_add(struct signature *signature, uint64_t block) {
  unsigned bit[2];
  bits_of(block, bit);
  for (int n = 0; n < 2; n++) signature->word[bit[n] / 64] |= 1ull << bit[n] % 64;
}

bool signature_has(const struct signature *signature, uint64_t block) {
  unsigned bit[2];
  bits_of(block, bit);
  return signature->word[bit[0] / 64] >> bit[0] % 64 & 1 && signature->word[bit[1] / 64] >> bit[1] % 64 & 1;
}

/* -- Tags ---------------------------------------------------------------------------------------------------------------- */

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  CHECK(memory, "out of memory");
  return memory;
}

static void make_tags(struct tags *tags, uint64_t bytes, uint32_t ways) {
  tags->ways = ways;
  tags->sets = (uint32_t)(bytes / LINE_BYTES / ways);
  tags->block = allocate((size_t)tags->sets * ways, sizeof *tags->block);
  tags->used = allocate((size_t)tags->sets * ways, sizeof *tags->used);
}

static void free_tags(struct tags *tags) {
  free(tags->block);
  free(tags->used);
}

static uint32_t find_tag(const struct tags *tags, uint64_t block) {
  uint32_t first = (uint32_t)((block >> LINE_SHIFT) % tags->sets) * tags->ways;
  for (uint32_t n = first; n < first + tags->ways; n++)
    if (tags->used[n] && tags->block[n] == block) return n;
  return UINT32_MAX;
}

/* True: it was there. It is now, in place of the least recently used. */
static bool use_tag(struct tags *tags, uint64_t block) {
  uint32_t at = find_tag(tags, block), first = (uint32_t)((block >> LINE_SHIFT) % tags->sets) * tags->ways;
  bool hit = at != UINT32_MAX;
  for (uint32_t n = at = hit ? at : first; !hit && n < first + tags->ways; n++)
    if (tags->used[n] < tags->used[at]) at = n;
  tags->block[at] = block;
  tags->used[at] = ++tags->clock;
  return hit;
}

/* -- Building -------------------------------------------------------------------------------------------------------------- */

static uint32_t room_of(const struct machine *machine) {
  return (uint32_t)(machine->config.l1_bytes / LINE_BYTES);
}
static uint32_t places_of(const struct machine *machine) {
  uint32_t places = 64;
  while (places < 4 * room_of(machine)) places *= 2;
  return places;
}

struct bulk *bulk_new(const struct machine *machine) {
  const struct sim_config *config = &machine->config;
  struct bulk *bulk = allocate(1, sizeof *bulk);
  CHECK(room_of(machine) < UINT16_MAX, "an L1 of %u lines", room_of(machine));
  bulk->port = allocate(machine->port_count, sizeof *bulk->port);
  while (bulk->width * bulk->width < machine->port_count) bulk->width++;
  for (uint32_t n = 0; n < machine->port_count; n++) {
    struct bulk_port *port = &bulk->port[n];
    port->lines = allocate(room_of(machine), sizeof *port->lines);
    port->places = allocate(places_of(machine), sizeof *port->places);
    make_tags(&port->data, config->l1_bytes, config->l1_ways);
    make_tags(&port->code, config->l1_bytes, config->l1_ways);
    port->set_fill = allocate(port->data.sets, 1);
  }
  make_tags(&bulk->l2, config->l2_bytes, config->l2_ways);
  return bulk;
}

void bulk_free(struct bulk *bulk, const struct machine *machine) {
  for (uint32_t n = 0; n < machine->port_count; n++) {
    struct bulk_port *port = &bulk->port[n];
    free(port->lines);
    free(port->places);
    free(port->set_fill);
    free_tags(&port->data);
    free_tags(&port->code);
  }
  free_tags(&bulk->l2);
  free(bulk->port);
  free(bulk);
}

/* -- Lines that a chunk has written ------------------------------------------------------------------------------------------ */

/* The place of the line in the hash table, or the empty one where it belongs. */
static uint16_t *place_of(struct bulk_port *port, const struct machine *machine, uint64_t block) {
  uint32_t mask = places_of(machine) - 1, at = (uint32_t)((block >> LINE_SHIFT) * 0x9e3779b1u) & mask;
  while (port->places[at] && port->lines[port->places[at] - 1].block != block) at = (at + 1) & mask;
  return &port->places[at];
}

struct bulk_line *bulk_written(struct bulk *bulk, const struct port *port, uint64_t block) {
  struct bulk_port *own = &bulk->port[port->number];
  if (!own->line_count) return NULL;
  uint16_t place = *place_of(own, port->machine, block);
  return place ? &own->lines[place - 1] : NULL;
}

uint8_t *bulk_bytes(struct bulk *bulk, const struct port *port, uint64_t block) {
  struct bulk_line *line = bulk_written(bulk, port, block);
  return line ? line->data : machine_ram(port->machine, block);
}

struct bulk_line *bulk_write(struct bulk *bulk, const struct port *port, uint64_t block) {
  struct bulk_port *own = &bulk->port[port->number];
  uint16_t *place = place_of(own, port->machine, block);
  if (*place) return &own->lines[*place - 1];
  uint32_t set = (uint32_t)((block >> LINE_SHIFT) % own->data.sets);
  if (own->set_fill[set] == own->data.ways) return NULL;
  own->set_fill[set]++;
  struct bulk_line *line = &own->lines[own->line_count++];
  *place = (uint16_t)own->line_count;
  line->block = block;
  memcpy(line->data, machine_ram(port->machine, block), LINE_BYTES);
  return line;
}

void bulk_clear(struct bulk *bulk, struct port *port) {
  struct bulk_port *own = &bulk->port[port->number];
  for (uint32_t n = 0; n < own->line_count; n++)
    own->set_fill[(own->lines[n].block >> LINE_SHIFT) % own->data.sets] = 0;
  if (own->line_count) memset(own->places, 0, places_of(port->machine) * sizeof *own->places);
  own->line_count = 0;
  own->reads = (struct signature){{0}};
  port_drop_all(port, PORT_ALL);
}

/* -- Timing ------------------------------------------------------------------------------------------------------------------- */

static uint32_t links(const struct bulk *bulk, uint32_t a, uint32_t b) {
  uint32_t w = bulk->width;
  uint32_t x = a % w > b % w ? a % w - b % w : b % w - a % w,
           y = a / w > b / w ? a / w - b / w : b / w - a / w;
  return x + y;
}

uint32_t bulk_distance(const struct bulk *bulk, const struct machine *machine, const struct port *port) {
  return 1 + links(bulk, port->number, 0) * machine->config.hop_cycles;
}

uint32_t bulk_cycles(struct bulk *bulk, const struct port *port, uint64_t block, bool fetch) {
  const struct sim_config *config = &port->machine->config;
  struct bulk_port *own = &bulk->port[port->number];
  if (use_tag(fetch ? &own->code : &own->data, block)) return fetch ? 0 : config->l1_cycles;
  uint32_t home = (uint32_t)((block >> LINE_SHIFT) % config->l2_banks) * config->harts / config->l2_banks;
  uint32_t cycles =
      config->l1_cycles + 2 * (1 + links(bulk, port->number, home) * config->hop_cycles) + config->l2_cycles;
  bulk->misses++;
  if (config->perturb_cycles) cycles += (machine_random(port->machine) >> 32) % (config->perturb_cycles + 1);
  if (use_tag(&bulk->l2, block)) return cycles;
  bulk->l2_misses++;
  return cycles + config->memory_cycles;
}

void bulk_invalidate(struct bulk *bulk, const struct machine *machine, const struct port *by,
                     uint64_t block) {
  for (uint32_t n = 0; n < machine->port_count; n++) {
    uint32_t at = find_tag(&bulk->port[n].data, block);
    if ((!by || n != by->number) && at != UINT32_MAX) bulk->port[n].data.used[at] = 0;
    at = find_tag(&bulk->port[n].code, block);
    if (at != UINT32_MAX) bulk->port[n].code.used[at] = 0;
  }
}

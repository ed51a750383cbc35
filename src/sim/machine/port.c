/* port.c: what ports and memory systems do for each other: fast lines, performing an access. See memory.h. */
#include "sim/machine/check.h"
#include "sim/machine/machine.h"

struct fast_table fast_empty;
uint64_t access_unused;

/* -- Fast lines -------------------------------------------------------------------------------------------------------- */

static void drop_all(struct fast_table *table) {
  for (int n = 0; n < FAST_LINES; n++) table->line[n].tag = FAST_NONE;
}

static void next_epoch(struct fast_table *table) {
  table->epoch = (table->epoch + FAST_EPOCH) % ((uint64_t)FAST_EPOCH * FAST_EPOCHS);
  if (!table->epoch) drop_all(table); /* they were of that epoch once */
}

/* A line's place depends on its virtual address, of which the lowest twelve bits are those of the physical one: it is in one
   of few. */
static void drop(struct fast_table *table, uint64_t paddr) {
  for (uint32_t n = fast_index(paddr & (PAGE_BYTES - 1)); n < FAST_LINES; n += FAST_PER_PAGE)
    if (table->line[n].paddr == paddr) table->line[n].tag = FAST_NONE;
}

void port_drop(struct port *port, uint64_t paddr, unsigned tables) {
  if (tables & PORT_LOADS) drop(&port->own_loads, paddr);
  if (tables & PORT_STORES) drop(&port->own_stores, paddr);
  if (tables & PORT_FETCHES) drop(&port->own_fetches, paddr);
}

void port_drop_all(struct port *port, unsigned tables) {
  if (tables & PORT_LOADS) next_epoch(&port->own_loads);
  if (tables & PORT_STORES) next_epoch(&port->own_stores);
  if (tables & PORT_FETCHES) drop_all(&port->own_fetches);
}

void port_init(struct port *port, struct machine *machine, uint32_t number) {
  drop_all(&fast_empty);
  drop_all(&port->own_loads);
  drop_all(&port->own_stores);
  drop_all(&port->own_fetches);
  port->machine = machine;
  port->number = number;
  port->loads = &port->own_loads;
  port->stores = &port->own_stores;
  port->fetches = &port->own_fetches;
  port->references_stop = port->stop = UINT64_MAX;
  port->reservation = FAST_NONE;
}

/* -- Performing -------------------------------------------------------------------------------------------------------- */

uint64_t amo_result(enum amo amo, unsigned size, uint64_t old, uint64_t operand) {
  int64_t a = size == 4 ? (int32_t)old : (int64_t)old, b = size == 4 ? (int32_t)operand : (int64_t)operand;
  uint64_t ua = size == 4 ? (uint32_t)old : old, ub = size == 4 ? (uint32_t)operand : operand;
  switch (amo) {
    case AMO_SWAP:
      return operand;
    case AMO_ADD:
      return old + operand;
    case AMO_XOR:
      return old ^ operand;
    case AMO_AND:
      return old & operand;
    case AMO_OR:
      return old | operand;
    case AMO_MIN:
      return a < b ? old : operand;
    case AMO_MAX:
      return a > b ? old : operand;
    case AMO_MINU:
      return ua < ub ? old : operand;
    case AMO_MAXU:
      return ua > ub ? old : operand;
  }
  CHECK(false, "atomic operation %d", amo);
}

void reservations_lost(struct machine *machine, const struct port *by, uint64_t paddr) {
  for (uint32_t n = 0; n < machine->port_count; n++) {
    struct port *port = machine->ports[n];
    if (port != by && port->reservation == line_of(paddr)) port->reservation = FAST_NONE;
  }
  for (struct thread *thread = machine->parked; thread; thread = thread->next_parked)
    if (thread->reservation == line_of(paddr)) thread->reservation = FAST_NONE;
}

bool access_apply(struct port *port, struct access *access, uint8_t *host_line) {
  uint8_t *bytes = host_line + (access->paddr & (LINE_BYTES - 1));
  port->references++;
  switch (access->kind) {
    case ACCESS_LR:
      port->reservation = line_of(access->paddr);
      port->hold_until = port->cycle + port->machine->config.hold_cycles;
      memcpy(access->data, bytes, access->size);
      return false;
    case ACCESS_LOAD:
      memcpy(access->data, bytes, access->size);
      return false;
    case ACCESS_SC:
      access->failed = port->reservation != line_of(access->paddr);
      port->reservation = FAST_NONE;
      if (access->failed) return false;
      memcpy(bytes, access->data, access->size);
      break;
    case ACCESS_STORE:
      memcpy(bytes, access->data, access->size);
      break;
    case ACCESS_AMO: {
      uint64_t old = 0, operand = 0;
      memcpy(&old, bytes, access->size);
      memcpy(&operand, access->data, access->size);
      uint64_t result = amo_result(access->amo, access->size, old, operand);
      memcpy(bytes, &result, access->size);
      memcpy(access->data, &old, access->size);
      break;
    }
    default:
      CHECK(false, "access of kind %d has nothing to perform", access->kind);
  }
  return true;
}

void access_perform(struct port *port, struct access *access, uint8_t *host_line) {
  if (access_apply(port, access, host_line)) reservations_lost(port->machine, port, access->paddr);
}

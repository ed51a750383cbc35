/* flat.c: flat memory: every access takes one cycle. No recorder observes the lines of a port, so all of them are fast. */
#include "sim/machine/machine.h"

/* Where nobody cares about LRU. */
static uint64_t nowhere;

static enum access_result flat_access(struct port *port, struct access *access) {
  struct machine *machine = port->machine;
  uint8_t *line = machine_ram(machine, line_of(access->paddr));
  if (access->kind == ACCESS_FENCE) return ACCESS_DONE;
  if (access->kind == ACCESS_FETCH) {
    port_grant(&port->own_fetches, access, line, &nowhere);
    return ACCESS_DONE;
  }
  access_perform(port, access, line);
  port->cycle++;
  if (access->kernel) return ACCESS_DONE;
  if (access->kind == ACCESS_LR) {
    /* Others' stores to the line must be seen as long as the reservation may be alive: they lose the fast path, once. */
    for (uint32_t i = 0; i < machine->port_count; i++)
      if (machine->ports[i] != port) port_drop(machine->ports[i], line_of(access->paddr), PORT_STORES);
  } else if (access->kind == ACCESS_LOAD) {
    port_grant(&port->own_loads, access, line, &nowhere);
  } else if (access->kind != ACCESS_SC || !access->failed) { /* others' reservations are gone */
    port_grant(&port->own_stores, access, line, &nowhere);
  }
  return ACCESS_DONE;
}

const struct memory_system flat_memory = {.access = flat_access, .name = "flat"};

/* schedule.c: runs events and ports in the order of their cycles.
 *
 * An event comes before a port of the same cycle. A port runs up to its horizon: the next event, or the cycle at which the earliest other port could
 * affect it. Between two ports that is machine->lookahead cycles (a request has to travel to the directory, and the directory's message
 * to the other port), so a hart that hits its caches runs tens of instructions at a time and the outcome is as if all ports advanced cycle
 * by cycle. Flat memory has no lookahead: there ports of one cycle go by their number. */
#include "sim/machine/check.h"
#include "sim/machine/machine.h"

void machine_at(struct machine *machine, uint64_t cycle, event_function *function, void *object,
                uint64_t argument) {
  if (cycle < machine->cycle) cycle = machine->cycle;
  /* Draining may have let the calendar run ahead of the ports. */
  if (cycle < machine->calendar->base) cycle = machine->calendar->base;
  calendar_put(machine->calendar, cycle, function, object, argument);
  if (machine->running && cycle < machine->running->horizon) machine->running->horizon = cycle;
}

void port_wake(struct port *port, uint64_t cycle) {
  CHECK(port->waiting, "port %u is woken and does not wait", port->number);
  struct machine *machine = port->machine;
  if (cycle < machine->cycle) cycle = machine->cycle;
  port->waiting = false;
  if (port->cycle < cycle) port->cycle = cycle;
  if (port->cycle < machine->quiet_until) machine->quiet_until = port->cycle;
  if (machine->running && machine->running != port &&
      port->cycle + machine->lookahead < machine->running->horizon)
    machine->running->horizon = port->cycle + machine->lookahead;
  if (port->woken) port->woken(port);
}

static bool runnable(const struct port *port) {
  return !port->waiting && port->run;
}

/* The earliest port that can run, and by which cycle it must let another have its turn. */
static struct port *earliest(struct machine *machine, uint64_t *limit) {
  struct port *first = NULL, *second = NULL;
  for (uint32_t n = 0; n < machine->port_count; n++) {
    struct port *port = machine->ports[n];
    if (!runnable(port)) continue;
    if (!first || port->cycle < first->cycle) {
      second = first;
      first = port;
    } else if (!second || port->cycle < second->cycle) {
      second = port;
    }
  }
  *limit = UINT64_MAX;
  if (second)
    *limit = second->cycle + machine->lookahead + (!machine->lookahead && first->number < second->number);
  return first;
}

enum turn machine_turn(struct machine *machine) {
  uint64_t limit, next = machine->calendar->next;
  struct port *port = NULL;
  /* Events come in crowds, and most of them wake no port: the ports need not be looked at for each. */
  if (next > machine->quiet_until || next == CALENDAR_EMPTY) {
    port = earliest(machine, &limit);
    machine->quiet_until = port ? port->cycle : UINT64_MAX;
    if (!port && next == CALENDAR_EMPTY) return TURN_NONE;
  }
  if (!port || next <= port->cycle) {
    struct event event = calendar_take(machine->calendar);
    machine->cycle = event.cycle;
    event.function(machine, event.object, event.argument);
    return TURN_EVENT;
  }
  machine->quiet_until = 0;
  machine->cycle = port->cycle;
  calendar_advance(machine->calendar, port->cycle);
  port->horizon = next < limit ? next : limit;
  machine->running = port;
  port->run(port);
  machine->running = NULL;
  return TURN_PORT;
}

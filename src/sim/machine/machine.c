/* machine.c: the machine as a whole: made, run, taken apart. */
#include "sim/machine/machine.h"

#include <stdlib.h>

#include "sim/machine/decode.h"
#include "sim/machine/hart.h"
#include "sim/machine/pages.h"

/* xorshift64*: any state but 0. */
uint64_t machine_random(struct machine *machine) {
  uint64_t x = machine->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  machine->random = x;
  return x * 0x2545f4914f6cdd1d;
}

static bool make_harts(struct machine *machine) {
  uint32_t harts = machine->config.harts;
  machine->harts = calloc(harts, sizeof *machine->harts);
  machine->ports = calloc(harts + 1, sizeof *machine->ports);
  if (!machine->harts || !machine->ports) return false;
  for (uint32_t i = 0; i < harts; i++) {
    struct hart *hart = &machine->harts[i];
    port_init(&hart->port, machine, i);
    hart->port.hit_cycles = 1;
    hart->port.run = machine->supervisor->turn;
    hart->port.waiting = hart->idle = true;
    machine->ports[machine->port_count++] = &hart->port;
  }
  return true;
}

struct machine *machine_new(const struct sim_config *config, const struct supervisor *supervisor,
                            const char **error) {
  struct machine *machine = calloc(1, sizeof *machine);
  *error = config_check(config);
  if (!machine || *error) {
    free(machine);
    return NULL;
  }
  machine->config = *config;
  machine->supervisor = supervisor;
  machine->system = &flat_memory;
  machine->ram_bytes = config->ram_bytes;
  machine->random = (config->seed + 1) * 0x9e3779b97f4a7c15;
  if (!machine->random) machine->random = 1;
  machine->calendar = calendar_new();
  machine->decode_cache = decode_cache_new();
  if (machine->decode_cache && pages_begin(machine) && make_harts(machine)) return machine;
  *error = "no memory for the simulated machine";
  machine_free(machine);
  return NULL;
}

void machine_halt(struct machine *machine) {
  if (machine->memory && machine->system->end) machine->system->end(machine);
  machine->memory = NULL;
}

void machine_free(struct machine *machine) {
  machine_halt(machine);
  pages_end(machine);
  calendar_free(machine->calendar);
  decode_cache_free(machine->decode_cache);
  free(machine->harts);
  free(machine->ports);
  free(machine);
}

void hart_rewind(struct hart *hart, const struct registers *registers, uint64_t position) {
  hart->registers = *registers;
  hart->port.position = position;
  hart->split = false;
}

bool hart_at_border(struct port *port, enum border why) {
  const struct watcher *watcher = port->machine->watcher;
  return !watcher || !watcher->border || watcher->border(port, why);
}

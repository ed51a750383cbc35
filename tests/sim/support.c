/* support.c: see support.h. */
#include "support.h"

#include <stdarg.h>

struct sim_config support_config(uint32_t harts, uint64_t seed) {
  return (struct sim_config){
      .harts = harts,
      .seed = seed,
      .ram_bytes = 1 << 20,
      .protocol = PROTOCOL_MESI,
      .store_buffer = 8,
      .l1_bytes = 16 << 10,
      .l1_ways = 4,
      .l1_cycles = 1,
      .l2_bytes = 256 << 10,
      .l2_ways = 8,
      .l2_banks = harts,
      .l2_cycles = 6,
      .memory_cycles = 60,
      .hop_cycles = 1,
      .perturb_cycles = 4,
      .hold_cycles = 20,
      .clock_mhz = 1000,
      .write_backs = 4,
      .memory_channels = 1,
  };
}

struct machine *support_machine(const struct sim_config *config, void (*run)(struct port *), bool device) {
  struct machine *machine = calloc(1, sizeof *machine);
  machine->config = *config;
  machine->port_count = config->harts + device;
  machine->harts = calloc(machine->port_count, sizeof *machine->harts);
  machine->ports = calloc(machine->port_count, sizeof(void *));
  for (uint32_t n = 0; n < machine->port_count; n++) {
    machine->ports[n] = &machine->harts[n].port;
    port_init(machine->ports[n], machine, n);
    machine->ports[n]->run = run;
  }
  machine->ram_bytes = config->ram_bytes;
  machine->ram = calloc(1, machine->ram_bytes);
  machine->calendar = calendar_new();
  caches_begin(machine);
  return machine;
}

void support_free(struct machine *machine) {
  machine->system->end(machine);
  calendar_free(machine->calendar);
  free(machine->ram);
  free(machine->ports);
  free(machine->harts);
  free(machine);
}

__attribute__((weak)) void thread_wake(struct thread *thread, uint64_t cycle) {
  (void)thread, (void)cycle;
  CHECK(false, "these threads wait on their harts");
}

uint64_t support_random(uint64_t *state) {
  uint64_t mixed = *state += 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
  return mixed ^ mixed >> 31;
}

static unsigned passed, failed;

void support_check(bool good, const char *format, ...) {
  if (good) {
    passed++;
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  if (failed++ < 20) {
    printf("FAILED ");
    vprintf(format, arguments);
    putchar('\n');
  }
  va_end(arguments);
}

int support_end(void) {
  printf("%u passed, %u failed\n", passed, failed);
  return failed || !passed;
}

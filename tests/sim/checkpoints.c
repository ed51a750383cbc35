/* checkpoints.c: memory goes back to what it was at each of the last checkpoints, under random stores by several harts.
 *
 *   checkpoints [-n COUNT]     COUNT / 1000 random accesses in each of some configurations */
#include <unistd.h>

#include "support.h"

enum { BLOCKS = 64, PAGE = 0x2000, BYTES = BLOCKS * LINE_BYTES, SNAPSHOTS = CHECKPOINTS_KEPT + 1 };

static uint64_t random_state, performed, seen;
static uint8_t golden[BYTES], snapshot[SNAPSHOTS][BYTES]; /* what memory was at the last checkpoints */

/* The first access after a checkpoint has not changed anything yet. */
static void note_checkpoint(struct caches *caches) {
  uint64_t intervals = checkpoint_log_count(caches->checkpoints).intervals;
  if (intervals == seen) return;
  seen = intervals;
  memcpy(snapshot[intervals % SNAPSHOTS], golden, BYTES);
}

static void run(struct port *port) {
  struct caches *caches = caches_of(port->machine);
  while (port->cycle < port->horizon) {
    uint64_t data = support_random(&random_state), offset = support_below(&random_state, BYTES / 8) * 8;
    struct access access = {
        .vaddr = PAGE + offset, .paddr = PAGE + offset, .kind = ACCESS_STORE, .size = 8, .data = &data};
    struct fast_line *line = &port->stores->line[fast_index(access.vaddr)];
    if (line->tag == line_of(access.vaddr) + port->stores->epoch) {
      access_apply(port, &access, line->host);
      port->cycle += port->hit_cycles;
    } else if (port->machine->system->access(port, &access) == ACCESS_WAIT) {
      port->waiting = true;
      return;
    }
    note_checkpoint(caches);
    memcpy(golden + offset, &data, 8);
    performed++;
  }
}

static void put_back(void *context, uint64_t block, const uint8_t *bytes) {
  memcpy((uint8_t *)context + block, bytes, LINE_BYTES);
}

static void one(unsigned seed, uint64_t accesses) {
  struct sim_config config = support_config(1u << seed % 4, seed);
  config.protocol = seed / 4 % 2 ? PROTOCOL_MOSI : PROTOCOL_MESI;
  config.l1_bytes = LINE_BYTES * config.l1_ways << seed % 5;
  config.l2_bytes = (uint64_t)LINE_BYTES * config.l2_banks * config.l2_ways << seed % 3;
  config.checkpoint_cycles = 500 + 997 * seed;
  random_state = seed, performed = seen = 0;
  memset(golden, 0, BYTES);
  memset(snapshot, 0, sizeof snapshot);
  struct machine *machine = support_machine(&config, run, false);
  struct checkpoint_log *log = caches_of(machine)->checkpoints;
  while (performed < accesses) machine_turn(machine);
  machine->system->drain(machine);
  support_check(!memcmp(machine_ram(machine, PAGE), golden, BYTES), "seed %u: memory after draining", seed);
  support_check(seen > CHECKPOINTS_KEPT, "seed %u: only %lu checkpoints", seed, (unsigned long)seen);
  checkpoint_log_each(log, checkpoint_log_first(log), put_back, machine->ram);
  /* The oldest that is kept began when `seen - CHECKPOINTS_KEPT` intervals were over. */
  support_check(!memcmp(machine_ram(machine, PAGE), snapshot[(seen - CHECKPOINTS_KEPT) % SNAPSHOTS], BYTES),
                "seed %u: memory at the oldest checkpoint", seed);
  support_free(machine);
}

int main(int argc, char **argv) {
  uint64_t count = 500000;
  for (int option; (option = getopt(argc, argv, "n:")) != -1;)
    if (option == 'n') count = strtoull(optarg, NULL, 0);
  for (unsigned seed = 0; seed < 16; seed++) one(seed, 10000 + count / 1000);
  return support_end();
}

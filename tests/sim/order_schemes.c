/* order_schemes.c: every order scheme records and replays programs that are nothing but races.
 *
 *   order_schemes [-n COUNT] [-s SCHEME] [-f FIRST] [-v]     COUNT / 10000 seeds of each scheme; FIRST seed
 *
 * A thread's next access depends on all values that it has read so far, so one race decided otherwise changes everything after it (FDR
 * section 7, "racey"). Thread 0 spawns the others; threads move between harts, also while they wait for memory. The replay has other caches, other
 * latencies and moves threads at other times; all threads and all of memory must end as in the recording. */
#include <unistd.h>

#include "sim/recorders/chunks.h"
#include "sim/kernel/kernel.h"
#include "sim/recorders/watch.h"
#include "support.h"

enum { THREADS = 16, SHARED = 0x4000, WORDS = 96, PRIVATE = 0x10000 };

struct runner {
  struct task task; /* a thread as the kernel has it, but of no process that it knows */
  uint64_t length;
  bool over;
};

/* In registers, so that a squash takes them back. RESERVED: between LR and SC; it stays on its hart. */
enum { STATE = 10, RESERVED = 11 };

static struct process process;

static struct world {
  uint64_t random; /* of when threads move */
  struct sphere sphere;
  struct runner runner[THREADS];
  uint32_t threads, move;
  uint64_t seed;
} world;

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = a ^ (b + 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
  return support_random(&state);
}

/* -- Programs ------------------------------------------------------------------------------------------------------------ */

static uint64_t *registers_on(struct port *port) {
  return ((struct hart *)port)->registers.x;
}

static bool at_border(struct port *port, enum border why) {
  const struct watcher *watcher = port->machine->watcher;
  return !watcher || !watcher->border || watcher->border(port, why);
}

static void come(struct port *port, struct thread *thread) {
  struct machine *machine = port->machine;
  port->thread = thread;
  port->position = thread->position;
  thread->port = port;
  struct thread **link = &machine->parked;
  while (*link && *link != thread) link = &(*link)->next_parked;
  if (*link) *link = thread->next_parked;
  port->reservation = thread->reservation;
  ((struct hart *)port)->registers = thread->registers;
  if (machine->watcher) machine->watcher->enter(port);
  port->waiting = false;
}

static void spawn(struct machine *machine, struct thread *parent) {
  if (world.sphere.threads == world.threads) return;
  struct runner *child = &world.runner[world.sphere.threads];
  struct thread *thread = &child->task.thread;
  *thread = (struct thread){.number = world.sphere.threads++,
                            .sphere = &world.sphere,
                            .process = &process,
                            .reservation = FAST_NONE};
  thread->registers.x[STATE] = mix(world.seed, thread->number);
  child->length = 200 + thread->registers.x[STATE] % 2000;
  if (machine->watcher) machine->watcher->born(machine, parent, thread);
  /* Some hart is idle: there are as many as threads. */
  for (uint32_t n = 0; n < machine->config.harts; n++) {
    struct port *port = machine->ports[n];
    if (port->thread) continue;
    uint64_t now = parent ? parent->port->cycle : 0;
    if (port->cycle < now) port->cycle = now;
    come(port, thread);
    return;
  }
}

static struct access next_access(struct port *port, uint64_t *data) {
  const uint64_t *x = registers_on(port);
  uint64_t bits = mix(x[STATE], port->position);
  struct access access = {.kind = ACCESS_LOAD, .size = 8, .data = data};
  uint64_t address = SHARED + (bits >> 8) % WORDS * 8;
  if (bits % 4 == 0) address = PRIVATE + port->thread->number * 0x1000 + (bits >> 8) % 512 * 8;
  if (bits >> 32 & 1) access.kind = ACCESS_STORE;
  if ((bits >> 33) % 16 == 0) access.kind = ACCESS_AMO;
  if ((bits >> 33) % 16 == 1) access.kind = ACCESS_LR;
  if (x[RESERVED]) access.kind = ACCESS_SC;
  if ((bits >> 40) % 32 == 0 && !x[RESERVED]) access.kind = ACCESS_FETCH;
  access.amo = (bits >> 48) % (AMO_MAXU + 1);
  access.vaddr = access.paddr = address;
  *data = mix(bits, x[STATE]);
  return access;
}

/* As a hart does, through fast lines where it can. */
static enum access_result perform(struct port *port, struct access *access) {
  struct fast_table *table = access->kind == ACCESS_LOAD ? port->loads : port->stores;
  struct fast_line *line = &table->line[fast_index(access->vaddr)];
  if (access->kind > ACCESS_STORE || line->tag != line_of(access->vaddr) + table->epoch ||
      port->references >= port->references_stop)
    return port->machine->system->access(port, access);
  access_apply(port, access, line->host);
  *line->used = port_time(port);
  port->cycle += port->hit_cycles;
  return ACCESS_DONE;
}

/* -- Harts ---------------------------------------------------------------------------------------------------------------- */

static void leave(struct port *port, enum leave_reason reason) {
  struct machine *machine = port->machine;
  if (machine->watcher) machine->watcher->leave(port, reason);
  port->thread->registers = ((struct hart *)port)->registers;
  port->thread->position = port->position;
  /* A squash may have taken it back to between LR and SC: it keeps its reservation while it is away. */
  port->thread->reservation = port->reservation;
  port->thread->next_parked = machine->parked;
  machine->parked = port->thread;
  for (uint32_t n = 0; n < machine->port_count; n++)
    port_drop(machine->ports[n], port->reservation, PORT_STORES);
  port->thread->port = NULL;
  port->thread = NULL;
  port->reservation = FAST_NONE;
  port->stop = UINT64_MAX;
  port_drop_all(port, PORT_ALL);
}

static struct port *idle_hart(struct machine *machine) {
  uint32_t first = (uint32_t)support_below(&world.random, machine->config.harts);
  for (uint32_t n = 0; n < machine->config.harts; n++) {
    struct port *port = machine->ports[(first + n) % machine->config.harts];
    if (!port->thread) return port;
  }
  return NULL;
}

/* To an idle hart, if there is one. */
static void move(struct port *port) {
  struct machine *machine = port->machine;
  struct thread *thread = port->thread;
  struct port *other = idle_hart(machine);
  struct access fence = {.kind = ACCESS_FENCE};
  if (!other || registers_on(port)[RESERVED] || machine->system->access(port, &fence) == ACCESS_WAIT) return;
  if (machine->watcher && machine->watcher->interrupt && !machine->watcher->interrupt(port)) return;
  leave(port, LEAVE_SLICE);
  port->waiting = true;
  if (other->cycle < port->cycle) other->cycle = port->cycle;
  if (other->cycle < machine->cycle) other->cycle = machine->cycle;
  come(other, thread);
}

/* A system call: what is speculative is committed first, stores are out of their buffer. */
static bool may_call(struct port *port) {
  struct access fence = {.kind = ACCESS_FENCE};
  return port->machine->system->access(port, &fence) == ACCESS_DONE && at_border(port, BORDER_TRAP);
}

static bool step(struct port *port) {
  struct runner *me = (struct runner *)port->thread;
  struct machine *machine = port->machine;
  uint64_t *x = registers_on(port), data;
  if (port->position >= port->stop && machine->watcher->gate && !machine->watcher->gate(port)) return false;
  if (port->position >= me->length && !x[RESERVED]) return me->over = may_call(port);
  if (port->thread->number == 0 && port->position % 16 == 15 && !x[RESERVED]) {
    if (!may_call(port)) return false;
    port->position++;
    spawn(machine, port->thread);
    return true;
  }
  struct access access = next_access(port, &data);
  if (perform(port, &access) == ACCESS_WAIT) return false;
  if (access.kind != ACCESS_FETCH && access.kind != ACCESS_STORE)
    x[STATE] = mix(x[STATE], data + access.failed);
  x[RESERVED] = access.kind == ACCESS_LR;
  port->position++;
  port->cycle += x[STATE] % 3;
  return true;
}

static void run(struct port *port) {
  struct hart *hart = (struct hart *)port;
  while (port->cycle < port->horizon) {
    /* An idle hart may be woken by a line that a thread which has moved on had asked for. */
    if (!port->thread || !step(port)) {
      port->waiting = true;
      return;
    }
    if (((struct runner *)port->thread)->over) {
      leave(port, LEAVE_EXIT);
      port->waiting = true;
      return;
    }
    if (hart->interrupted || (world.move && support_below(&world.random, world.move) == 0)) {
      hart->interrupted = false;
      move(port);
      if (!port->thread || port->waiting) return;
    }
  }
}

/* A thread that waits for memory may be moved too; one that waits at its gate is not. */
static void disturb(struct machine *machine) {
  struct port *port = machine->ports[support_below(&world.random, machine->config.harts)];
  if (port->thread && port->waiting && port->position < port->stop) move(port);
}

/* -- A run --------------------------------------------------------------------------------------------------------------- */

static uint64_t digest(struct machine *machine) {
  uint64_t sum = 0;
  if (machine->system->drain) machine->system->drain(machine);
  for (uint32_t n = 0; n < world.threads; n++) {
    const struct thread *thread = &world.runner[n].task.thread;
    sum = mix(sum, thread->registers.x[STATE] ^ thread->position);
  }
  for (uint64_t at = 0; at < machine->ram_bytes; at += 8) {
    uint64_t word;
    memcpy(&word, machine_ram(machine, at), 8);
    if (word) sum = mix(sum, word ^ at);
  }
  return sum;
}

static struct sim_config any_config(uint64_t *random, uint32_t harts) {
  struct sim_config config = support_config(harts, support_random(random));
  config.protocol = support_below(random, 2) ? PROTOCOL_MOSI : PROTOCOL_MESI;
  config.l1_ways = 1u << support_below(random, 3);
  config.l1_bytes = (uint64_t)LINE_BYTES * config.l1_ways << support_below(random, 6);
  config.l2_banks = 1u << support_below(random, 3);
  config.l2_ways = 1u << support_below(random, 4);
  config.l2_bytes = (uint64_t)LINE_BYTES * config.l2_banks * config.l2_ways << support_below(random, 8);
  config.perturb_cycles = (uint32_t)support_below(random, 40);
  return config;
}

/* Runs the program of a seed until all its threads have ended. False: it got stuck. */
static bool go(struct machine *machine, uint64_t seed, uint32_t threads, uint64_t moves,
               enum sphere_mode mode, struct order_logs *logs) {
  memset(&world, 0, sizeof world);
  world.seed = seed;
  world.random = moves;
  world.threads = threads;
  world.move = moves % 3 ? 20 + (uint32_t)(moves % 200) : 0;
  world.sphere = (struct sphere){.mode = mode, .order = logs};
  for (uint32_t n = 0; n < machine->config.harts; n++) machine->ports[n]->waiting = true;
  spawn(machine, NULL);
  for (;;) {
    uint32_t over = 0;
    enum turn turn = machine_turn(machine);
    for (uint32_t n = 0; n < threads; n++) over += world.runner[n].over;
    if (over == threads) return true;
    if (turn == TURN_NONE) return false;
    if (world.move && support_below(&world.random, 64) == 0) disturb(machine);
  }
}

struct way {
  const char *name;
  const struct order_scheme *scheme;
  struct order_options options;
  bool tso;
};

static const struct way ways[] = {
    {"tokens", &order_tokens, {.filter = true, .max_episode = 256}, false},
    {"tokens-small", &order_tokens, {.filter = true, .max_episode = 5}, false},
    {"tokens-paper", &order_tokens, {.filter = true, .single_edges = true}, false},
    {"tokens-plain", &order_tokens, {.filter = false}, false},
    {"dag", &order_dag, {.filter = false}, false},
    {"scalar", &order_scalar, {.filter = true, .max_episode = 256}, false},
    {"scalar-plain", &order_scalar, {.filter = false}, false},
    {"arcs", &order_arcs, {.filter = false}, false},
    {"chunk", &order_chunks, {.max_episode = 100}, false},
    {"chunk-small", &order_chunks, {.max_episode = 7}, false},
    {"tokens-tso", &order_tokens, {.filter = true, .max_episode = 256}, true},
    {"tokens-paper-tso", &order_tokens, {.filter = true, .single_edges = true}, true},
    {"dag-tso", &order_dag, {.filter = false}, true},
    {"scalar-tso", &order_scalar, {.filter = true, .max_episode = 256}, true},
    {"arcs-tso", &order_arcs, {.filter = false}, true},
};

static bool verbose;

/* As a recording has them on disk, and gets them back. */
static struct order_logs *take_logs(struct machine *machine, const struct order_scheme *scheme,
                                    uint32_t threads) {
  struct order_logs *logs = calloc(1, sizeof *logs);
  recorder_close(machine, &world.sphere);
  logs->scheme = scheme;
  logs->slots = threads;
  for (uint32_t n = 0; n < threads; n++) recorder_segment(machine, &world.sphere, n, &logs->log[n]);
  support_check(order_logs_join(logs), "%s: segments of a log can't be joined", scheme->name);
  return logs;
}

static uint64_t one_seed(const struct way *way, uint64_t seed) {
  uint64_t random = mix(seed, 1), again = mix(seed, 2), stuck = 0;
  uint32_t threads = 2u << seed % 4;
  struct sim_config config = any_config(&random, threads + (uint32_t)support_below(&random, 3));
  if (config.harts > 16) config.harts = 16;
  config.tso = way->tso;
  config.store_buffer = 1 + (uint32_t)support_below(&random, 8);
  config.interrupt_policy = (uint32_t)support_below(&random, 3);
  struct machine *machine = support_machine(&config, run, false);
  recorder_begin(machine, way->scheme, way->options);
  bool ended = go(machine, seed / 8, threads, support_random(&random), SPHERE_RECORD, NULL);
  support_check(ended, "%s, seed %lu: the recording is stuck", way->name, (unsigned long)seed);
  struct order_logs *logs = take_logs(machine, way->scheme, threads);
  uint64_t expected = digest(machine);
  if (verbose) {
    const struct recorder_counters *count = recorder_count(machine);
    size_t bytes = 0;
    for (uint32_t n = 0; n < logs->slots; n++) bytes += logs->log[n].count;
    printf("%s seed %lu: %lu episodes, %lu edges, %lu values, %zu bytes, %lu cycles\n", way->name,
           (unsigned long)seed, (unsigned long)count->episodes, (unsigned long)count->edges,
           (unsigned long)count->values, bytes, (unsigned long)machine->cycle);
  }
  recorder_end(machine);
  support_free(machine);
  if (!ended) return stuck;

  struct sim_config other = any_config(&again, config.harts);
  machine = support_machine(&other, run, false);
  replayer_begin(machine);
  ended = go(machine, seed / 8, threads, support_random(&again), SPHERE_REPLAY, logs);
  support_check(ended, "%s, seed %lu: the replay is stuck", way->name, (unsigned long)seed);
  support_check(!replayer_error(machine), "%s, seed %lu: %s", way->name, (unsigned long)seed,
                replayer_error(machine));
  if (ended)
    support_check(digest(machine) == expected, "%s, seed %lu: the replay ends otherwise", way->name,
                  (unsigned long)seed);
  replayer_end(machine);
  support_free(machine);
  order_logs_free(logs);
  return expected;
}

int main(int argc, char **argv) {
  uint64_t count = 500000, first = 0;
  const char *only = NULL;
  for (int option; (option = getopt(argc, argv, "n:s:f:v")) != -1;) {
    if (option == 'n') count = strtoull(optarg, NULL, 0);
    if (option == 's') only = optarg;
    if (option == 'f') first = strtoull(optarg, NULL, 0);
    if (option == 'v') verbose = true;
  }
  for (unsigned n = 0; n < sizeof ways / sizeof *ways; n++) {
    if (only && strcmp(only, ways[n].name)) continue;
    uint64_t last = 0, same = 0, seeds = count / 10000;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
      uint64_t sum = one_seed(&ways[n], seed);
      same += sum == last;
      last = sum;
    }
    support_check(!same, "%s: %lu recordings end alike", ways[n].name, (unsigned long)same);
  }
  return support_end();
}

/* chunks.c: chunks: when they begin, end, commit and are squashed. See chunks.h. */
#include "sim/recorders/chunks.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/caches/bulk.h"
#include "sim/caches/caches.h"
#include "sim/machine/check.h"
#include "sim/recorders/chunk_log.h"
#include "sim/kernel/kernel.h"
#include "sim/recorders/trace.h"
#include "sim/recorders/watching.h"

enum { SQUASH_CYCLES = 10, PATIENCE = 3 }; /* PATIENCE: so often squashed in a row, a chunk is made smaller */

const struct order_scheme order_chunks = {.name = "chunk"};

/* The chunk that runs on a port. */
struct running {
  bool open;                  /* there is one */
  bool asked;                 /* it is complete and waits for the arbiter … */
  bool ready;                 /* … which knows of it */
  bool pinned;                /* it ends with an instruction whose result is input: it can't be squashed */
  bool kernel_waits;          /* replay: a kernel access waits for its turn */
  bool interrupt_waits;       /* until the chunk has been committed */
  uint8_t why;                /* enum border */
  uint32_t ticket;            /* an older request is void */
  uint32_t squashes;          /* in a row */
  uint64_t start, limit;      /* positions */
  uint64_t asked_at;          /* cycle at which the waiting interrupt came */
  struct registers registers; /* at the start */
  bool split;
  uint64_t split_bytes, reservation;
};

struct chunks {
  struct machine *machine;
  struct bulk *bulk;
  uint64_t size;
  enum interrupt_policy policy;
  struct running *running; /* of each port */
  struct chunk_log *sphere[64];
  struct thread *
      *away[64]; /* of each sphere, by slot: threads taken off their harts while they waited for their turn */
  struct recorder_counters counters;
  char error[160];
};

static struct chunks *chunks_of(const struct machine *machine) {
  return watch_of(machine)->chunks;
}
static struct running *running_on(const struct port *port) {
  return &chunks_of(port->machine)->running[port->number];
}
static struct chunk_log *log_of(struct thread *thread) {
  return chunks_of(thread->port->machine)->sphere[thread->sphere->number];
}
static bool in_sphere(const struct thread *thread) {
  return thread && thread->sphere->mode != SPHERE_PLAIN;
}
static bool replays(const struct thread *thread) {
  return thread->sphere->mode == SPHERE_REPLAY;
}

static void fail(struct chunks *chunks, const struct thread *thread, const char *what) {
  if (!chunks->error[0]) snprintf(chunks->error, sizeof chunks->error, "thread %u: %s", thread->number, what);
}

/* -- Beginning and squashing ------------------------------------------------------------------------------------------------ */

static uint64_t next_size(struct chunks *chunks, struct running *running, struct thread *thread) {
  if (replays(thread)) {
    uint64_t size = chunk_log_next(log_of(thread), thread->number);
    return size ? size : chunks->size; /* none: it may be about to end */
  }
  uint64_t size = chunks->size;
  for (uint32_t n = PATIENCE; n <= running->squashes && size > 1; n++) size /= 2;
  return size;
}

static void open_chunk(struct port *port) {
  struct chunks *chunks = chunks_of(port->machine);
  struct running *running = running_on(port);
  const struct hart *hart = (const struct hart *)port;
  running->open = true;
  running->asked = running->ready = running->pinned = false;
  running->start = port->position;
  running->limit = next_size(chunks, running, port->thread);
  running->registers = hart->registers;
  running->split = hart->split;
  running->split_bytes = hart->split_bytes;
  running->reservation = port->reservation;
  bulk_clear(chunks->bulk, port);
  port->stop = port->position + running->limit;
}

/* The next instruction asks the gate, which opens another. */
static void close_chunk(struct port *port) {
  struct running *running = running_on(port);
  running->open = running->asked = running->ready = false;
  running->ticket++;
  bulk_clear(chunks_of(port->machine)->bulk, port);
  port->stop = port->position;
}

static void squash(struct port *port, uint64_t cycle) {
  struct chunks *chunks = chunks_of(port->machine);
  struct running *running = running_on(port);
  struct hart *hart = (struct hart *)port;
  chunks->counters.squashes++;
  chunks->counters.squashed_instructions += port->position - running->start;
  hart_rewind(hart, &running->registers, running->start);
  hart->split = running->split;
  hart->split_bytes = running->split_bytes;
  port->reservation = running->reservation;
  running->squashes++;
  close_chunk(port);
  if (port->cycle < cycle) port->cycle = cycle;
  port->cycle += SQUASH_CYCLES;
}

/* Others that have read or written the line have to do their chunks again. */
static void squash_others(struct chunks *chunks, const struct port *by, uint64_t block, uint64_t cycle) {
  for (uint32_t n = 0; n < chunks->machine->port_count; n++) {
    struct port *other = chunks->machine->ports[n];
    struct running *running = &chunks->running[n];
    if (other == by) continue;
    if (running->reservation == block) running->reservation = FAST_NONE;
    if (!running->open || running->pinned) continue;
    if (!signature_has(&chunks->bulk->port[n].reads, block) && !bulk_written(chunks->bulk, other, block))
      continue;
    squash(other, cycle);
    if (other->waiting) port_wake(other, other->cycle);
  }
  bulk_invalidate(chunks->bulk, chunks->machine, by, block);
}

/* -- Committing ---------------------------------------------------------------------------------------------------------------- */

static void count_end(struct chunks *chunks, const struct port *port, const struct running *running) {
  struct recorder_counters *counters = &chunks->counters;
  unsigned why = running->why;
  uint64_t *reason = why == BORDER_FULL       ? &counters->ends_size
                     : why == BORDER_TRAP     ? &counters->ends_trap
                     : why == BORDER_FAULT    ? &counters->ends_fault
                     : why == BORDER_OVERFLOW ? &counters->ends_overflow
                                              : &counters->ends_interrupt;
  counters->episodes++;
  ++*reason;
  distribution_add(&counters->episode_instructions, port->position - running->start);
  trace_episode(chunks->machine, port->thread, port->position, counters, reason);
}

static void write_log(struct chunks *chunks, struct port *port, const struct running *running) {
  struct thread *thread = port->thread;
  uint64_t size = port->position - running->start;
  bool regular = running->why == BORDER_TRAP || (running->why == BORDER_FULL && size == chunks->size);
  if (!replays(thread))
    chunk_log_add(log_of(thread), thread->number, regular ? CHUNK_REGULAR : CHUNK_IRREGULAR, size);
  else if (!chunk_log_advance(log_of(thread), thread->number, size, running->why == BORDER_TRAP))
    fail(chunks, thread, "a chunk is not as long as in the recording");
}

static void someone_else(struct chunks *chunks, struct chunk_log *log, uint64_t cycle);

static void commit(struct chunks *chunks, struct port *port, uint64_t cycle) {
  struct running *running = running_on(port);
  struct bulk_port *own = &chunks->bulk->port[port->number];
  struct chunk_log *log = log_of(port->thread);
  for (uint32_t n = 0; n < own->line_count; n++) {
    uint64_t block = own->lines[n].block;
    memcpy(machine_ram(chunks->machine, block), own->lines[n].data, LINE_BYTES);
    reservations_lost(chunks->machine, port, block);
    squash_others(chunks, port, block, cycle);
  }
  count_end(chunks, port, running);
  write_log(chunks, port, running);
  running->squashes = 0;
  close_chunk(port);
  port_wake(port, cycle + bulk_distance(chunks->bulk, chunks->machine, port));
  if (running->interrupt_waits) {
    running->interrupt_waits = false;
    chunks->counters.interrupt_cycles += port->cycle - running->asked_at;
    hart_interrupt((struct hart *)port);
  }
  someone_else(chunks, log, cycle);
}

static bool may_commit(const struct port *port) {
  struct thread *thread = port->thread;
  return !replays(thread) || chunk_log_turn(log_of(thread), thread->number, false);
}

static void wake_away(struct chunks *chunks, unsigned sphere, unsigned slot, uint64_t cycle) {
  struct thread *thread = chunks->away[sphere] ? chunks->away[sphere][slot] : NULL;
  if (!thread) return;
  chunks->away[sphere][slot] = NULL;
  thread_wake(thread, cycle);
}

/* Replay: the one whose turn it is now may have been waiting for it. */
static void someone_else(struct chunks *chunks, struct chunk_log *log, uint64_t cycle) {
  for (unsigned n = 0; n < sizeof chunks->sphere / sizeof *chunks->sphere; n++)
    if (chunks->sphere[n] == log && chunk_log_head(log) != ORDER_NOBODY)
      wake_away(chunks, n, chunk_log_head(log), cycle);
  for (uint32_t n = 0; n < chunks->machine->port_count; n++) {
    struct port *port = chunks->machine->ports[n];
    struct running *running = &chunks->running[n];
    if (!port->thread || !replays(port->thread) || log_of(port->thread) != log) continue;
    if (running->kernel_waits && chunk_log_turn(log, port->thread->number, true)) {
      running->kernel_waits = false;
      if (port->waiting) port_wake(port, cycle);
    } else if (running->asked && running->ready && may_commit(port)) {
      commit(chunks, port, cycle);
      return;
    }
  }
}

struct request {
  struct port *port;
  uint32_t ticket;
};

static void request_arrives(struct machine *machine, void *object, uint64_t cycle) {
  struct request *request = object;
  struct port *port = request->port;
  struct running *running = running_on(port);
  bool valid = running->asked && running->ticket == request->ticket;
  free(request);
  if (!valid) return;
  running->ready = true;
  if (may_commit(port)) commit(chunks_of(machine), port, cycle);
}

static void ask(struct port *port, enum border why) {
  struct chunks *chunks = chunks_of(port->machine);
  struct running *running = running_on(port);
  if (running->asked) return;
  bool breaks_off = port->thread->sphere->breaks_off; /* then it asks in vain */
  if (replays(port->thread) && !breaks_off && !chunk_log_next(log_of(port->thread), port->thread->number))
    fail(chunks, port->thread, "it runs on after the end of its order log");
  struct request *request = malloc(sizeof *request);
  CHECK(request, "out of memory");
  *request = (struct request){port, running->ticket};
  running->asked = true;
  running->why = (uint8_t)why;
  ((struct hart *)port)->at_gate = true; /* another thread may have the hart meanwhile */
  uint64_t cycle = port->cycle + bulk_distance(chunks->bulk, chunks->machine, port);
  machine_at(port->machine, cycle, request_arrives, request, cycle);
}

/* -- Accesses -------------------------------------------------------------------------------------------------------------------- */

static bool stores(unsigned kind) {
  return kind == ACCESS_STORE || kind == ACCESS_SC || kind == ACCESS_AMO;
}

/* By the kernel, a device, or a program that is in no sphere: visible at once. */
static enum access_result access_now(struct port *port, struct access *access) {
  struct chunks *chunks = chunks_of(port->machine);
  uint64_t block = line_of(access->paddr);
  if (in_sphere(port->thread)) {
    struct chunk_log *log = log_of(port->thread);
    CHECK(!replays(port->thread) || chunk_log_turn(log, port->thread->number, true),
          "thread %u: not its turn", port->thread->number);
    if (!replays(port->thread)) chunk_log_add(log, port->thread->number, CHUNK_KERNEL, 1);
  }
  uint8_t *line = machine_ram(port->machine, block);
  port->cycle += bulk_cycles(chunks->bulk, port, block, access->kind == ACCESS_FETCH);
  if (access->kind == ACCESS_FETCH)
    port_grant(&port->own_fetches, access, line, &access_unused);
  else
    access_perform(port, access, line);
  if (stores(access->kind)) squash_others(chunks, port, block, port->cycle);
  if (in_sphere(port->thread) && replays(port->thread)) {
    chunk_log_advance(log_of(port->thread), port->thread->number, 1, false);
    someone_else(chunks, log_of(port->thread), port->cycle);
  }
  return ACCESS_DONE;
}

static enum access_result access_fetch(struct chunks *chunks, struct port *port, struct access *access) {
  uint64_t block = line_of(access->paddr);
  if (bulk_written(chunks->bulk, port, block)) { /* its own new code: section 5.3 */
    ask(port, BORDER_OVERFLOW);
    return ACCESS_WAIT;
  }
  signature_add(&chunks->bulk->port[port->number].reads, block);
  port->cycle += bulk_cycles(chunks->bulk, port, block, true);
  port_grant(&port->own_fetches, access, machine_ram(port->machine, block), &access_unused);
  return ACCESS_DONE;
}

static enum access_result chunk_access(struct port *port, struct access *access) {
  struct chunks *chunks = chunks_of(port->machine);
  if (access->kind == ACCESS_FENCE) return ACCESS_DONE;
  if (access->kernel || !in_sphere(port->thread) || !port->thread->process) return access_now(port, access);
  CHECK(running_on(port)->open, "port %u: an access outside of any chunk", port->number);
  if (running_on(port)->asked) return ACCESS_WAIT;
  if (access->kind == ACCESS_FETCH) return access_fetch(chunks, port, access);
  uint64_t block = line_of(access->paddr);
  uint8_t *bytes;
  if (access->kind != ACCESS_STORE) signature_add(&chunks->bulk->port[port->number].reads, block);
  if (stores(access->kind)) {
    bool known = bulk_written(chunks->bulk, port, block);
    struct bulk_line *line = bulk_write(chunks->bulk, port, block);
    if (!line) {
      ask(port, BORDER_OVERFLOW);
      return ACCESS_WAIT;
    }
    bytes = line->data;
    if (!known) port_drop(port, block, PORT_LOADS);
    port_grant(&port->own_stores, access, bytes, &access_unused);
    port_grant(&port->own_loads, access, bytes, &access_unused);
  } else {
    bytes = bulk_bytes(chunks->bulk, port, block);
    port_grant(&port->own_loads, access, bytes, &access_unused);
  }
  port->cycle += bulk_cycles(chunks->bulk, port, block, false);
  access_apply(port, access, bytes);
  return ACCESS_DONE;
}

/* Committed data are in the machine's memory. A chunk that has seen the page in its old use may not commit. */
static void forget(struct machine *machine, uint64_t paddr) {
  for (uint64_t block = paddr; block < paddr + PAGE_BYTES; block += LINE_BYTES)
    squash_others(chunks_of(machine), NULL, block, machine->cycle);
}

static const struct memory_system chunk_memory = {
    .access = chunk_access, .forget = forget, .end = cached_memory_end, .name = "chunks"};

/* -- The watcher ------------------------------------------------------------------------------------------------------------------ */

static void born(struct machine *machine, struct thread *parent, struct thread *child) {
  struct chunk_log **log = &chunks_of(machine)->sphere[child->sphere->number];
  (void)parent;
  if (!*log) {
    const struct order_logs *recorded = child->sphere->order;
    bool replay = child->sphere->mode == SPHERE_REPLAY;
    *log = replay ? chunk_log_read(&recorded->log[0]) : chunk_log_new(chunks_of(machine)->size);
    if (!*log) {
      fail(chunks_of(machine), child, "the order log is damaged");
      *log = chunk_log_new(chunks_of(machine)->size);
    }
  }
  chunk_log_thread(*log, child->number);
}

static void enter(struct port *port) {
  port->stop = port->position;
}

/* Cycles later it is away for good, and can be woken. */
struct return_ticket {
  unsigned sphere, slot;
};

static void comes_back(struct machine *machine, void *object, uint64_t cycle) {
  struct return_ticket *ticket = object;
  wake_away(chunks_of(machine), ticket->sphere, ticket->slot, cycle);
  free(ticket);
}

/* It was taken off its hart while it waited. In a recording it can run again as soon as there is a hart; in a replay when it is its turn. */
static void goes_away(struct port *port) {
  struct chunks *chunks = chunks_of(port->machine);
  struct thread *thread = port->thread;
  struct thread ***away = &chunks->away[thread->sphere->number];
  if (!*away) *away = calloc(ORDER_SLOTS, sizeof **away);
  CHECK(*away, "out of memory");
  (*away)[thread->number] = thread;
  if (replays(thread) && chunk_log_head(log_of(thread)) != thread->number) return;
  struct return_ticket *ticket = malloc(sizeof *ticket);
  CHECK(ticket, "out of memory");
  *ticket = (struct return_ticket){thread->sphere->number, thread->number};
  machine_at(port->machine, port->cycle + 1, comes_back, ticket, port->cycle + 1);
}

static void leave(struct port *port, enum leave_reason reason) {
  struct running *running = running_on(port);
  if (reason == LEAVE_SLICE && (running->asked || running->kernel_waits)) goes_away(port);
  running->kernel_waits = running->interrupt_waits = false;
  if (!running->open) return;
  if (port->position > running->start)
    squash(port, port->cycle);
  else
    close_chunk(port);
}

static bool gate(struct port *port) {
  struct running *running = running_on(port);
  port->stop = port->position; /* to be asked again before the next instruction */
  if (!port->thread->process || task_of(port->thread)->in_kernel) {
    bool turn = !replays(port->thread) || chunk_log_turn(log_of(port->thread), port->thread->number, true);
    running->kernel_waits = !turn;
    return turn;
  }
  if (!running->open) {
    open_chunk(port);
    return true;
  }
  ask(port, running->pinned ? BORDER_TRAP : BORDER_FULL);
  return false;
}

/* Replay: what was one chunk in the recording, ended by this trap, was committed in parts; the last of them just before the trap. */
static void end_in_parts(struct port *port, enum border why) {
  struct chunks *chunks = chunks_of(port->machine);
  struct thread *thread = port->thread;
  bool trap = why == BORDER_TRAP || why == BORDER_COUNTER;
  if (!trap || !replays(thread) || !chunk_log_begun(log_of(thread), thread->number)) return;
  if (!chunk_log_advance(log_of(thread), thread->number, 0, true))
    fail(chunks, thread, "a chunk is not as long as in the recording");
  someone_else(chunks, log_of(thread), port->cycle);
}

/* True: nothing speculative is left, the kernel may have the hart. */
static bool border(struct port *port, enum border why) {
  struct running *running = running_on(port);
  if (!running->open) return true;
  bool empty = port->position == running->start && !running->asked;
  if (empty && why == BORDER_COUNTER) { /* alone in its chunk */
    end_in_parts(port, why);
    running->limit = 1;
    running->pinned = true;
    port->stop = port->position + 1;
    return true;
  }
  if (empty) {
    end_in_parts(port, why);
    close_chunk(port);
    return true;
  }
  ask(port, why == BORDER_COUNTER ? BORDER_TRAP : why);
  port->waiting = true;
  return false;
}

static bool interrupt(struct port *port) {
  struct chunks *chunks = chunks_of(port->machine);
  struct running *running = running_on(port);
  bool turn = replays(port->thread) && chunk_log_turn(log_of(port->thread), port->thread->number, false);
  enum interrupt_policy policy = !replays(port->thread) ? chunks->policy
                                 : turn                 ? INTERRUPT_COMMIT
                                                        : INTERRUPT_SQUASH;
  if (!running->open || port->position == running->start) {
    if (running->open) close_chunk(port);
    return true;
  }
  if (policy == INTERRUPT_SQUASH) {
    squash(port, port->cycle);
    return true;
  }
  running->interrupt_waits = true;
  running->asked_at = port->cycle;
  if (policy == INTERRUPT_COMMIT) {
    ask(port, BORDER_INTERRUPT);
    port->waiting = true;
  }
  return false;
}

const struct watcher chunks_watcher = {
    .born = born, .enter = enter, .leave = leave, .gate = gate, .border = border, .interrupt = interrupt};

/* -- Beginning and end --------------------------------------------------------------------------------------------------------------- */

struct chunks *chunks_begin(struct machine *machine, uint64_t size, enum interrupt_policy policy) {
  struct chunks *chunks = calloc(1, sizeof *chunks);
  CHECK(chunks && (chunks->running = calloc(machine->port_count, sizeof *chunks->running)), "out of memory");
  chunks->machine = machine;
  chunks->bulk = bulk_new(machine);
  chunks->size = size ? size : CHUNK_INSTRUCTIONS;
  chunks->policy = policy;
  machine->system = &chunk_memory;
  machine->lookahead = 2 + machine->config.l2_cycles;
  for (uint32_t n = 0; n < machine->port_count; n++) {
    chunks->running[n].reservation = FAST_NONE;
    machine->ports[n]->hit_cycles = machine->config.l1_cycles;
  }
  return watch_begin(machine)->chunks = chunks;
}

void chunks_segment(struct machine *machine, struct sphere *sphere, struct order_log *to) {
  struct order_log none = {0}, chunks = {0};
  struct chunk_log *log = chunks_of(machine)->sphere[sphere->number];
  if (log) chunk_log_write(log, &chunks);
  order_log_segment(to, &none, &chunks);
  free(chunks.bytes);
}

bool chunks_over(const struct machine *machine, const struct sphere *sphere) {
  const struct chunk_log *log = chunks_of(machine)->sphere[sphere->number];
  return log && chunk_log_head(log) == ORDER_NOBODY;
}

const struct recorder_counters *chunks_count(const struct machine *machine) {
  return &chunks_of(machine)->counters;
}

const char *chunks_error(const struct machine *machine) {
  return chunks_of(machine)->error[0] ? chunks_of(machine)->error : NULL;
}

void chunks_end(struct machine *machine) {
  struct chunks *chunks = chunks_of(machine);
  for (unsigned n = 0; n < sizeof chunks->sphere / sizeof *chunks->sphere; n++)
    chunk_log_free(chunks->sphere[n]);
  for (unsigned n = 0; n < sizeof chunks->away / sizeof *chunks->away; n++) free(chunks->away[n]);
  bulk_free(chunks->bulk, machine);
  free(chunks->running);
  free(chunks);
  watch_of(machine)->chunks = NULL;
  watch_end(machine);
}

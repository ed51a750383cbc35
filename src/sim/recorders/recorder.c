/* recorder.c: the order schemes as recorders in the simulated machine: the watcher of a recording.
 *
 * A slot is an R-thread. The papers' recorders sit in cores; here threads move between harts (Capo virtualises them so), hence:
 *  - a port answers for the last thread of the sphere that ran on it, wherever that thread is by now: the lines in the port's caches were touched by it, or
 *  - by threads that ran there before, and a thread that enters a port is ordered after the last one there;
 *  - a page belongs to the sphere that touched it last, and notes pass between threads of that sphere alone;
 *  - a line that a thread requested may arrive after the thread has left, for the thread that is on the port then.
 *
 * An episode ends between two instructions, and with it the fast lines: the next access to each goes through touch() and so into the
 * filter of the new episode. */
#include "sim/recorders/archive.h"
#include "sim/caches/caches.h"
#include "sim/recorders/chunks.h"
#include "sim/kernel/kernel.h"
#include "sim/recorders/trace.h"
#include "sim/recorders/watch.h"
#include "sim/recorders/watching.h"

enum { SPHERES = 64 };
enum { ARCS_KNOWN = 64 }; /* of a thread, a power of two */

struct slot {
  struct order_recorder recorder;
  struct thread *thread; /* NULL when it has ended */
  struct port *port;     /* where it ran last: its log is written there; NULL before it has run */
  uint64_t valued;       /* position of the last problematic read, and all of them: */
  struct order_log values;
  uint64_t entered;            /* arcs: port_time() when it came to its port, */
  uint64_t passed[ARCS_KNOWN]; /* and the positions of the last arcs, by number */
  struct recorded_sphere *sphere;
};

struct recorded_sphere {
  struct order order;
  struct order_logs *logs;
  struct recorder *owner;
  struct slot *slot[ORDER_SLOTS];
};

struct debt {
  struct debt *next;
  struct slot *from;
  uint32_t port;
};

struct recorder {
  struct machine *machine;
  const struct order_scheme *scheme;
  struct order_options options;
  uint64_t max_episode; /* references */
  struct recorded_sphere *sphere[SPHERES];
  struct slot *last[NODES][SPHERES];   /* who answers for a port */
  uint8_t *page_sphere;                /* of each physical page: sphere + 1 */
  uint16_t *proxy;                     /* of each block that has been out of the L2: slot + 1 */
  uint64_t bank_clock[NODES][SPHERES]; /* scalar: the latest timestamp that a bank has heard of */
  struct debt *debts;
  struct recorder_counters counters;
  struct caches_hooks hooks;
  uint32_t record_bytes; /* of its hardware */
};

static struct recorder *recorder_of(const struct machine *machine) {
  return watch_of(machine)->recorder;
}

static struct slot *slot_of(const struct thread *thread) {
  return thread && thread->sphere->mode == SPHERE_RECORD ? thread->order : NULL;
}

/* Called once for each record. */
static void log_bytes(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count) {
  struct recorded_sphere *sphere = order->context;
  struct recorder *recorder = sphere->owner;
  order_log_append(&sphere->logs->log[slot], bytes, count);
  recorder->counters.records++;
  if (sphere->slot[slot]->port) caches_log(sphere->slot[slot]->port, LOG_RACES, recorder->record_bytes);
}

static void set_position(struct slot *slot) {
  const struct thread *thread = slot->thread;
  if (thread) slot->recorder.position = thread->port ? store_buffer_position(thread->port) : thread->position;
}

/* -- Episodes ------------------------------------------------------------------------------------------------------ */

static bool is_empty(const struct order_filter *filter) {
  static const struct order_filter empty;
  return !memcmp(filter, &empty, sizeof empty);
}

static void touch_again(struct port *port, uint64_t block) {
  struct slot *slot = slot_of(port->thread);
  slot->sphere->order.scheme->touch(&slot->sphere->order, &slot->recorder, block, ORDER_READ);
}

static void begin_episode(struct recorder *recorder, struct slot *slot) {
  struct port *port = slot->thread ? slot->thread->port : NULL;
  if (!port || port->thread != slot->thread) return;
  port_drop_all(port, PORT_LOADS | PORT_STORES);
  store_buffer_early(port, touch_again);
  if (recorder->max_episode) port->references_stop = port->references + recorder->max_episode;
}

static void count_end(struct recorder *recorder, const struct slot *slot, uint64_t start, uint64_t *why) {
  uint64_t end = slot->recorder.start;
  if (end == start) return;
  recorder->counters.episodes++;
  ++*why;
  distribution_add(&recorder->counters.episode_instructions, end - start);
  if (slot->thread) trace_episode(recorder->machine, slot->thread, end, &recorder->counters, why);
}

static bool has_touched_nothing(const struct recorder *recorder, const struct order_recorder *of) {
  if (recorder->scheme == &order_tokens) return is_empty(&of->tokens.filter);
  return is_empty(&of->scalar.reads) && is_empty(&of->scalar.writes);
}

/* After a hook that may have ended the episode: its filters are empty then. */
static void look_for_end(struct recorder *recorder, struct slot *slot, uint64_t start, uint64_t *why) {
  count_end(recorder, slot, start, why);
  if (recorder->options.filter && has_touched_nothing(recorder, &slot->recorder))
    begin_episode(recorder, slot);
}

static void end_episode(struct recorder *recorder, struct slot *slot, uint64_t *why) {
  uint64_t start = slot->recorder.start;
  set_position(slot);
  recorder->scheme->end(&slot->sphere->order, &slot->recorder);
  look_for_end(recorder, slot, start, why);
}

/* -- Notes ---------------------------------------------------------------------------------------------------------- */

/* Now, for what no cache knows better. */
static uint64_t last_clock(struct slot *slot) {
  set_position(slot);
  return order_clock(&slot->recorder);
}

static void answer(struct recorder *recorder, struct slot *from, struct slot *to, uint64_t block, bool write,
                   uint64_t last_access, struct order_note *note) {
  struct order_ask ask = {.block = block,
                          .from = to->recorder.slot,
                          .want = write ? ORDER_WRITE : ORDER_READ,
                          .last_access = last_access};
  uint64_t start = from->recorder.start;
  set_position(from);
  recorder->scheme->reply(&from->sphere->order, &from->recorder, &ask, note);
  look_for_end(recorder, from, start, &recorder->counters.ends_conflict);
  *(note->kind == ORDER_NO_EDGE ? &recorder->counters.redundant : &recorder->counters.edges) += 1;
}

static bool has_pred(const struct slot *slot, unsigned from) {
  const struct order_preds *pred = &slot->recorder.now.pred;
  for (unsigned n = 0; n < pred->count; n++)
    if (pred->slot[n] == from) return true;
  return false;
}

/* If the note ends the episode of tokens that receives it (Karma figure 6(b)), this is why. */
static uint64_t *why_ends(struct recorder *recorder, const struct slot *to, unsigned from,
                          const struct order_note *note) {
  const struct order_episode *now = &to->recorder.now;
  struct recorder_counters *counters = &recorder->counters;
  if (recorder->scheme != &order_tokens || (now->succ_any && note->clock >= now->clock))
    return &counters->ends_cycle;
  return recorder->options.single_edges && has_pred(to, from) ? &counters->ends_second : &counters->ends_full;
}

/* Predecessors that are counted: one that is there already takes a byte more, for its core and how often. */
static void count_again(struct slot *slot) {
  slot->sphere->owner->counters.repeated++;
  if (slot->port) caches_log(slot->port, LOG_RACES, 1);
}

static void accept(struct recorder *recorder, struct slot *to, unsigned from, const struct order_note *note) {
  uint64_t start = to->recorder.start;
  set_position(to);
  uint64_t *why = why_ends(recorder, to, from, note), arcs = to->recorder.now.clock;
  bool again = !recorder->options.single_edges && note->kind == ORDER_EDGE && has_pred(to, from);
  recorder->scheme->receive(&to->sphere->order, &to->recorder, from, note);
  look_for_end(recorder, to, start, why);
  if (again && to->recorder.start == start) count_again(to);
  if (recorder->scheme != &order_arcs || to->recorder.now.clock == arcs) return;
  to->passed[arcs % ARCS_KNOWN] = to->recorder.position;
  recorder->counters.arcs++;
}

/* Orders all that `first` has done before all that `second` does from now on. Both touch a block for the purpose. */
static void order_threads(struct recorder *recorder, struct slot *first, struct slot *second) {
  struct order_note note;
  if (!first || first == second) return;
  if (order_is_alive(&first->recorder))
    recorder->scheme->touch(&first->sphere->order, &first->recorder, 0, ORDER_WRITE);
  answer(recorder, first, second, 0, true, last_clock(first), &note);
  accept(recorder, second, first->recorder.slot, &note);
}

/* -- Hooks of the memory system -------------------------------------------------------------------------------------- */

static struct slot *who_answers(struct recorder *recorder, const struct port *port, uint64_t block) {
  unsigned sphere = recorder->page_sphere[block >> PAGE_SHIFT];
  return sphere ? recorder->last[port->number][sphere - 1] : NULL;
}

static struct slot *proxy_slot(struct recorder *recorder, uint64_t block) {
  unsigned sphere = recorder->page_sphere[block >> PAGE_SHIFT], slot = recorder->proxy[block >> LINE_SHIFT];
  return sphere && slot ? recorder->sphere[sphere - 1]->slot[slot - 1] : NULL;
}

/* A line came for a thread that has ended meanwhile: the next on the port will be ordered after who gave it. */
static void owe(struct recorder *recorder, const struct port *port, struct slot *from) {
  struct debt *debt = malloc(sizeof *debt);
  CHECK(debt, "out of memory");
  *debt = (struct debt){recorder->debts, from, port->number};
  recorder->debts = debt;
}

static void pay(struct recorder *recorder, const struct port *port, struct slot *to) {
  for (struct debt **at = &recorder->debts; *at;) {
    struct debt *debt = *at;
    if (debt->port != port->number || debt->from->sphere != to->sphere) {
      at = &debt->next;
      continue;
    }
    order_threads(recorder, debt->from, to);
    *at = debt->next;
    free(debt);
  }
}

/* The clock after the thread's access at this position of its own: with as many arcs as it had passed then, or a few more if that is too long ago. */
static uint64_t clock_after(const struct slot *slot, uint64_t position) {
  uint64_t arcs = slot->recorder.now.clock, oldest = arcs > ARCS_KNOWN ? arcs - ARCS_KNOWN : 0;
  while (arcs > oldest && slot->passed[(arcs - 1) % ARCS_KNOWN] > position) arcs--;
  return slot->recorder.arcs.base + arcs + position + 1;
}

/* FDR's CIC (table 2): the clock of the answerer after its last access to the block, if its port still has the block. An access before the thread
   came to the port counts as made when it came; if the port does not know any more, or with a filter between, as made now (section 4.3). */
static uint64_t access_clock(struct recorder *recorder, struct slot *slot, struct port *port, uint64_t block,
                             enum reply_for what) {
  uint64_t now = last_clock(slot);
  bool here = slot->thread && slot->thread->port == port && order_is_alive(&slot->recorder);
  if (!recorder->options.last_access || what != REPLY_DATA || !here) return now;
  struct l1 *l1 = &caches_of(recorder->machine)->l1[port->number];
  const struct l1_line *line = l1_find(l1, block), *leaving = line ? NULL : l1_find_buffered(l1, block);
  if (leaving && leaving->state != L1_II) line = leaving;
  /* One that waits for its data is still the frame of another block: the copy that it is asked about was dropped before. */
  if (!line || (line != leaving && !l1_readable(line->state))) return now;
  uint64_t used = line->used > slot->entered ? line->used : slot->entered;
  uint64_t clock = clock_after(slot, used - port->time_base);
  return clock < now ? clock : now;
}

static bool reply(struct machine *machine, struct port *from, struct port *to, uint64_t block, bool write,
                  enum reply_for what) {
  struct recorder *recorder = recorder_of(machine);
  struct slot *answerer =
      what == REPLY_PROXY ? proxy_slot(recorder, block) : who_answers(recorder, from, block);
  struct slot *asker = who_answers(recorder, to, block);
  struct order_note note;
  if (!answerer || !asker || answerer == asker) return false;
  /* A proxy answers for readers too, and a later writer will not come back to it: it asks those who have a copy then. */
  if (what == REPLY_PROXY) write = true;
  if (!order_is_alive(&asker->recorder)) {
    owe(recorder, to, answerer);
    return true;
  }
  if (what == REPLY_CODE && order_is_alive(&answerer->recorder))
    recorder->scheme->touch(&answerer->sphere->order, &answerer->recorder, block, ORDER_READ);
  answer(recorder, answerer, asker, block, write, access_clock(recorder, answerer, from, block, what), &note);
  accept(recorder, asker, answerer->recorder.slot, &note);
  /* Its caches will have the block, whether or not it lives to access it: who asks next asks only them. */
  recorder->scheme->touch(&asker->sphere->order, &asker->recorder, block, write ? ORDER_WRITE : ORDER_READ);
  return true;
}

/* -- Rerun's banks ------------------------------------------------------------------------------------------------------ */

static uint64_t *bank_clock(struct recorder *recorder, uint64_t block) {
  return &recorder->bank_clock[directory_home(caches_of(recorder->machine), block)]
                              [recorder->page_sphere[block >> PAGE_SHIFT] - 1];
}

/* A bank has the latest timestamp of all threads that gave it a block back; a thread that gets one from it is later. So no thread has to be asked, and no block
   needs a proxy. The episode that touched the block ends: its timestamp is known now. */
static bool bank_hears(struct machine *machine, struct port *from, uint64_t block, enum reply_for what) {
  struct recorder *recorder = recorder_of(machine);
  struct slot *slot = who_answers(recorder, from, block);
  struct order_note note;
  if (!slot) return false;
  if (what == REPLY_CODE && order_is_alive(&slot->recorder)) /* fetches are in no filter */
    recorder->scheme->touch(&slot->sphere->order, &slot->recorder, block, ORDER_READ);
  answer(recorder, slot, slot, block, true, 0, &note);
  uint64_t *clock = bank_clock(recorder, block);
  if (note.clock > *clock) *clock = note.clock;
  return true;
}

static bool bank_tells(struct machine *machine, struct port *to, uint64_t block, bool write) {
  struct recorder *recorder = recorder_of(machine);
  struct slot *slot = who_answers(recorder, to, block);
  if (!slot) return false;
  struct order_note note = {.clock = *bank_clock(recorder, block), .kind = ORDER_EDGE};
  /* If its thread has ended, the next one on the port is ordered after it, and so after this. */
  accept(recorder, slot, slot->recorder.slot, &note);
  if (order_is_alive(&slot->recorder))
    recorder->scheme->touch(&slot->sphere->order, &slot->recorder, block, write ? ORDER_WRITE : ORDER_READ);
  return true;
}

/* A problematic read: varint(positions since the last), size, bytes. */
static void value(struct port *port, uint64_t position, const uint8_t *data, uint32_t size) {
  struct slot *slot = slot_of(port->thread);
  if (!slot) return;
  uint8_t record[VARINT_LARGEST + 1 + 8];
  size_t n = varint_put(record, position - slot->valued);
  record[n++] = (uint8_t)size;
  memcpy(record + n, data, size);
  order_log_append(&slot->values, record, n + size);
  slot->valued = position;
  slot->sphere->owner->counters.values++;
}

/* -- Proxies (Karma section 4.6) --------------------------------------------------------------------------------------- */

/* Block modulo harts if there is a thread, else any that can still be made to wait. */
static struct slot *choose_proxy(struct recorder *recorder, unsigned sphere, uint64_t block) {
  struct recorded_sphere *recorded = recorder->sphere[sphere];
  struct slot *proxy = recorder->last[(block >> LINE_SHIFT) % recorder->machine->config.harts][sphere];
  if (proxy && order_is_alive(&proxy->recorder)) return proxy;
  for (uint32_t n = 0; n < recorded->logs->slots; n++) {
    proxy = recorded->slot[((block >> LINE_SHIFT) + n) % recorded->logs->slots];
    if (proxy && order_is_alive(&proxy->recorder)) return proxy;
  }
  return NULL;
}

static struct port *port_of(struct recorder *recorder, const struct slot *slot, uint64_t block) {
  if (slot->thread && slot->thread->port) return slot->thread->port;
  return recorder->machine->ports[(block >> LINE_SHIFT) % recorder->machine->config.harts];
}

static struct port *evicted(struct machine *machine, struct port *port, uint64_t block) {
  struct recorder *recorder = recorder_of(machine);
  struct slot *from = who_answers(recorder, port, block);
  if (!from) return NULL;
  struct slot *proxy = proxy_slot(recorder, block);
  if (!proxy || !order_is_alive(&proxy->recorder)) {
    struct slot *chosen = choose_proxy(recorder, recorder->page_sphere[block >> PAGE_SHIFT] - 1u, block);
    if (!chosen) return NULL;               /* no thread is left that could touch it again */
    order_threads(recorder, proxy, chosen); /* the old one has ended */
    recorder->proxy[block >> LINE_SHIFT] = (uint16_t)(chosen->recorder.slot + 1);
    proxy = chosen;
  }
  if (proxy == from) return NULL;
  order_threads(recorder, from, proxy);
  recorder->scheme->touch(&proxy->sphere->order, &proxy->recorder, block, ORDER_WRITE);
  struct port *at = port_of(recorder, proxy, block);
  return at == port ? NULL : at;
}

static struct port *proxy_port(struct machine *machine, uint64_t block) {
  struct recorder *recorder = recorder_of(machine);
  struct slot *proxy = proxy_slot(recorder, block);
  return proxy ? port_of(recorder, proxy, block) : NULL;
}

/* -- Accesses ---------------------------------------------------------------------------------------------------------- */

static void touch(struct port *port, uint64_t block, bool write, bool code) {
  struct slot *slot = slot_of(port->thread);
  if (!slot) return;
  struct recorder *recorder = slot->sphere->owner;
  recorder->page_sphere[block >> PAGE_SHIFT] = (uint8_t)(port->thread->sphere->number + 1);
  if (!code)
    recorder->scheme->touch(&slot->sphere->order, &slot->recorder, block, write ? ORDER_WRITE : ORDER_READ);
}

static void full(struct port *port) {
  struct slot *slot = slot_of(port->thread);
  if (!slot) return;
  struct recorder *recorder = slot->sphere->owner;
  end_episode(recorder, slot, &recorder->counters.ends_size);
  /* Schemes without filters are not asked whether an episode has begun. */
  begin_episode(recorder, slot);
}

/* -- The watcher ------------------------------------------------------------------------------------------------------ */

static struct recorded_sphere *sphere_of(struct recorder *recorder, struct sphere *sphere) {
  CHECK(sphere->number < SPHERES, "sphere %u: there is room for %d", sphere->number, SPHERES);
  struct recorded_sphere **found = &recorder->sphere[sphere->number];
  if (!*found) {
    *found = calloc(1, sizeof **found);
    CHECK(*found && ((*found)->logs = calloc(1, sizeof *(*found)->logs)), "out of memory");
    (*found)->owner = recorder;
    (*found)->logs->scheme = recorder->scheme;
    (*found)->order = (struct order){recorder->scheme, recorder->options, log_bytes, *found};
  }
  return *found;
}

static void born(struct machine *machine, struct thread *parent, struct thread *child) {
  struct recorder *recorder = recorder_of(machine);
  struct recorded_sphere *sphere = sphere_of(recorder, child->sphere);
  CHECK(child->number < ORDER_SLOTS, "thread %u: there are slots for %d", child->number, ORDER_SLOTS);
  struct slot *slot = calloc(1, sizeof *slot), *from = slot_of(parent);
  CHECK(slot, "out of memory");
  slot->thread = child;
  slot->sphere = sphere;
  sphere->slot[child->number] = child->order = slot;
  if (child->number >= sphere->logs->slots) sphere->logs->slots = child->number + 1;
  order_recorder_init(&slot->recorder, child->number);
  if (from && from->sphere == sphere) {
    struct order_note note;
    uint64_t start = from->recorder.start;
    set_position(from);
    recorder->scheme->spawn(&sphere->order, &from->recorder, child->number, &note);
    look_for_end(recorder, from, start, &recorder->counters.ends_conflict);
    recorder->scheme->begin(&sphere->order, &slot->recorder, from->recorder.slot, &note);
  } else {
    recorder->scheme->begin(&sphere->order, &slot->recorder, 0, NULL);
  }
}

static void enter(struct port *port) {
  struct slot *slot = slot_of(port->thread);
  struct recorder *recorder = slot->sphere->owner;
  struct slot **last = &recorder->last[port->number][port->thread->sphere->number];
  slot->port = port;
  order_unpark(&slot->sphere->order, &slot->recorder);
  if (*last != slot) {
    order_threads(recorder, *last, slot);
    pay(recorder, port, slot);
    *last = slot;
    /* It answers for lines that others left in the caches. Blocks that its filter does not know belong to its previous episode: that must be one
       that was ordered after the others. */
    end_episode(recorder, slot, &recorder->counters.ends_leave);
  }
  slot->entered = port_time(port);
  begin_episode(recorder, slot);
}

static void leave(struct port *port, enum leave_reason reason) {
  struct slot *slot = slot_of(port->thread);
  if (!slot) return;
  struct recorder *recorder = slot->sphere->owner;
  const struct order *order = &slot->sphere->order;
  uint64_t start = slot->recorder.start;
  set_position(slot);
  if (reason == LEAVE_EXIT) {
    recorder->scheme->exit(order, &slot->recorder);
    count_end(recorder, slot, start, &recorder->counters.ends_leave);
    slot->thread->order = NULL;
    slot->thread = NULL;
  } else {
    order_park(order, &slot->recorder);
    look_for_end(recorder, slot, start, &recorder->counters.ends_leave);
  }
  port->references_stop = UINT64_MAX;
}

const struct watcher recorder_watcher = {.born = born, .enter = enter, .leave = leave};
/* -- Beginning and end -------------------------------------------------------------------------------------------------- */

/* The note on a reply: Karma a timestamp of four bytes and previouslyOrdered (its section 4.2), Rerun the timestamp, FDR the sender and its instruction
   count (its table 2). And the log entry: Karma four bytes of references and two sets of a bit for each core, Rerun references and timestamp, FDR
   nine bytes (its table 3). */
static void set_sizes(struct recorder *recorder) {
  const struct sim_config *config = &recorder->machine->config;
  const struct order_scheme *scheme = recorder->scheme;
  bool sets = scheme == &order_tokens;
  recorder->hooks.note_bits = sets || scheme == &order_dag ? 33 : scheme == &order_scalar ? 32 : 40;
  if (config->note_bits) recorder->hooks.note_bits = config->note_bits;
  recorder->record_bytes = sets ? 4 + 2 * ((config->harts + 7) / 8) : scheme == &order_scalar ? 8 : 9;
}

void recorder_begin(struct machine *machine, const struct order_scheme *scheme,
                    struct order_options options) {
  if (scheme == &order_chunks) {
    chunks_begin(machine, options.max_episode, (enum interrupt_policy)machine->config.interrupt_policy);
    return;
  }
  struct recorder *recorder = calloc(1, sizeof *recorder);
  CHECK(recorder, "out of memory");
  recorder->machine = machine;
  recorder->scheme = scheme;
  recorder->max_episode = options.max_episode;
  recorder->options = options;
  recorder->options.max_episode = 0; /* references are counted here, not positions there */
  recorder->options.filter = options.filter && (scheme == &order_tokens || scheme == &order_scalar);
  recorder->options.last_access = scheme == &order_arcs && !machine->config.tso;
  recorder->page_sphere = calloc(machine->ram_bytes >> PAGE_SHIFT, 1);
  recorder->proxy = calloc(machine->ram_bytes >> LINE_SHIFT, sizeof *recorder->proxy);
  CHECK(recorder->page_sphere && recorder->proxy, "out of memory");
  watch_begin(machine)->recorder = recorder;
  bool banks = scheme == &order_scalar;
  recorder->hooks = (struct caches_hooks){.reply = reply,
                                          .touch = touch,
                                          .full = full,
                                          .evicted = evicted,
                                          .proxy = proxy_port,
                                          .bank_hears = banks ? bank_hears : NULL,
                                          .bank_tells = banks ? bank_tells : NULL,
                                          .value = value};
  set_sizes(recorder);
  caches_of(machine)->hooks = &recorder->hooks;
}

static void cut(struct recorder *recorder, struct slot *slot, struct archive_cut *at) {
  at->ended = !order_is_alive(&slot->recorder);
  if (at->ended) return;
  end_episode(recorder, slot, &recorder->counters.ends_cut);
  /* tokens logs an episode when the one after it ends. */
  if (recorder->scheme == &order_tokens) end_episode(recorder, slot, &recorder->counters.ends_cut);
  at->position = slot->recorder.position;
  const struct thread *thread = slot->thread;
  uint64_t reached = thread->port ? thread->port->position : thread->position;
  /* A kernel that gave up has left a call half done. */
  const struct kernel *kernel = recorder->machine->kernel;
  if (reached == at->position && !(kernel && kernel->error)) at->digest = digest_thread(thread);
}

void recorder_cut(struct machine *machine, struct sphere *sphere, struct archive_cut *cuts) {
  if (watch_of(machine)->chunks) return; /* what is committed is in the log, and the rest may be squashed */
  struct recorder *recorder = recorder_of(machine);
  struct recorded_sphere *recorded = sphere_of(recorder, sphere);
  for (uint32_t n = 0; n < recorded->logs->slots; n++)
    if (recorded->slot[n]) cut(recorder, recorded->slot[n], &cuts[n]);
}

void recorder_segment(struct machine *machine, struct sphere *sphere, uint32_t slot, struct order_log *to) {
  if (watch_of(machine)->chunks) {
    if (slot == 0) chunks_segment(machine, sphere, to);
    return;
  }
  struct recorded_sphere *recorded = sphere_of(recorder_of(machine), sphere);
  if (recorded->slot[slot]) order_log_segment(to, &recorded->slot[slot]->values, &recorded->logs->log[slot]);
}

void recorder_close(struct machine *machine, struct sphere *sphere) {
  if (watch_of(machine)->chunks) return;
  struct recorder *recorder = recorder_of(machine);
  struct recorded_sphere *recorded = sphere_of(recorder, sphere);
  for (uint32_t n = 0; n < recorded->logs->slots; n++) {
    struct slot *slot = recorded->slot[n];
    if (!slot || !order_is_alive(&slot->recorder)) continue;
    set_position(slot);
    recorder->scheme->exit(&recorded->order, &slot->recorder);
  }
}

const struct recorder_counters *recorder_count(const struct machine *machine) {
  return watch_of(machine)->chunks ? chunks_count(machine) : &recorder_of(machine)->counters;
}

void recorder_end(struct machine *machine) {
  if (watch_of(machine)->chunks) {
    chunks_end(machine);
    return;
  }
  struct recorder *recorder = recorder_of(machine);
  for (int n = 0; n < SPHERES; n++) {
    struct recorded_sphere *sphere = recorder->sphere[n];
    if (!sphere) continue;
    for (int slot = 0; slot < ORDER_SLOTS; slot++) {
      if (sphere->slot[slot]) free(sphere->slot[slot]->values.bytes);
      free(sphere->slot[slot]);
    }
    order_logs_free(sphere->logs);
    free(sphere);
  }
  while (recorder->debts) {
    struct debt *next = recorder->debts->next;
    free(recorder->debts);
    recorder->debts = next;
  }
  free(recorder->page_sphere);
  free(recorder->proxy);
  free(recorder);
  watch_of(machine)->recorder = NULL;
  watch_end(machine);
  if (machine->memory) caches_of(machine)->hooks = NULL;
}

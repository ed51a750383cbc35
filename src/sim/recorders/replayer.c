/* replayer.c: replay in the simulated machine: threads stop where their order logs say. The watcher of a replay.
 *
 * No cache and no message of the recording matters here: a thread counts its position, waits before a step until the board of
 * src/order says that it is ready, and at the step's end wakes others. The time for that depends on the scheme's hardware:
 *  - tokens: a wake-up message to each successor, over the mesh, counted at the receiver (Karma section 4.5);
 *  - scalar: the idealised Rerun of Karma section 5: all are told at once, for nothing;
 *  - arcs, dag: the thread that reaches the position sends the waiter a message.
 * For arcs a thread can be waited for at any of its positions: it gets a stop there. */
#include "order/replay.h"
#include "sim/recorders/archive.h"
#include "sim/caches/caches.h"
#include "sim/recorders/chunks.h"
#include "sim/kernel/kernel.h"
#include "sim/recorders/watch.h"
#include "sim/recorders/watching.h"

enum phase { PHASE_NEXT, PHASE_BEFORE, PHASE_INSIDE, PHASE_OVER, PHASE_CUT };

struct follower {
  struct thread *thread; /* NULL when it has ended … */
  uint64_t position;     /* … there */
  struct replayed_sphere *sphere;
  unsigned slot, phase;
  const struct archive_cut *cut; /* the recording breaks off before the thread ends; else NULL */
  bool arrived;                  /* at the present step, and has said so */
  bool closed;                   /* waits at its gate */
  uint64_t wanted;    /* arcs: the least clock of this slot that a thread waits for, UINT64_MAX: none */
  size_t used;        /* bytes of its log */
  uint32_t last_port; /* where it ran last: wake-ups go there */
  struct order_reader reader;
  struct order_step step, last; /* the present one, and the last that was passed */
  /* The next problematic read (store_buffer.h): at its position the fast lines are hidden, so that it is seen. */
  size_t values_used, values_end;
  uint64_t value_position; /* UINT64_MAX: there is none */
  uint8_t value_size, value[8];
  bool giving;
};

struct replayed_sphere {
  struct machine *machine;
  const struct order_logs *logs;
  struct order_board board;
  struct follower *slot[ORDER_SLOTS];
};

struct replayer {
  const char *error;
  char line[160];
  struct replayed_sphere *sphere[64];
};

static struct replayer *replayer_of(const struct machine *machine) {
  return watch_of(machine)->replayer;
}

static void fail(struct follower *me, const char *what) {
  struct replayer *replayer = replayer_of(me->sphere->machine);
  if (replayer->error) return;
  snprintf(replayer->line, sizeof replayer->line, "thread %u: %s", me->slot, what);
  replayer->error = replayer->line;
}

static uint64_t position_of(const struct follower *me) {
  if (!me->thread) return me->position;
  return me->thread->port ? me->thread->port->position : me->thread->position;
}

/* -- Telling others --------------------------------------------------------------------------------------------------- */

static void finish(struct follower *me);
static bool counts_positions(const struct follower *me);
static void want(struct follower *me);

static void look_again(struct follower *who, uint64_t cycle) {
  if (!who || !who->closed || who->phase == PHASE_CUT) return;
  if (!order_replay_ready(&who->sphere->board, who->slot, &who->step)) {
    if (counts_positions(who)) want(who); /* who was wanted has come to where another wanted it */
    return;
  }
  who->closed = false;
  if (!who->thread) {
    finish(who);
    return;
  }
  struct port *port = who->thread->port;
  if (!port)
    thread_wake(who->thread, cycle);
  else if (port->waiting) /* else something else has woken it already, and it asks again */
    port_wake(port, cycle);
}

static void look_all(struct replayed_sphere *sphere, uint64_t cycle) {
  for (uint32_t slot = 0; slot < sphere->logs->slots; slot++) look_again(sphere->slot[slot], cycle);
}

struct wake_up {
  struct replayed_sphere *sphere;
  uint16_t to, from;
};

static void wake_up_arrives(struct machine *machine, void *object, uint64_t cycle) {
  struct wake_up *wake_up = object;
  struct replayed_sphere *sphere = wake_up->sphere;
  (void)machine;
  atomic_fetch_add(&sphere->board.sent[wake_up->to][wake_up->from], 1);
  look_again(sphere->slot[wake_up->to], cycle);
  free(wake_up);
}

static void send_wake_up(struct follower *me, unsigned to, uint64_t cycle) {
  struct wake_up *wake_up = malloc(sizeof *wake_up);
  CHECK(wake_up, "out of memory");
  *wake_up = (struct wake_up){me->sphere, (uint16_t)to, (uint16_t)me->slot};
  struct follower *receiver = me->sphere->slot[to];
  struct machine *machine = me->sphere->machine;
  uint32_t to_port = receiver ? receiver->last_port : me->last_port;
  cycle = machine->config.flat ? cycle + 1 : mesh_wake_up(machine, me->last_port, to_port, cycle);
  machine_at(machine, cycle, wake_up_arrives, wake_up, cycle);
}

static uint64_t now_of(const struct follower *me) {
  const struct machine *machine = me->sphere->machine;
  return me->thread && me->thread->port ? me->thread->port->cycle : machine->cycle;
}

/* The step is over: publish its clock, and send the tokens. */
static void tell(struct follower *me) {
  struct replayed_sphere *sphere = me->sphere;
  uint64_t cycle = now_of(me);
  order_replay_publish(&sphere->board, me->slot, me->step.clock);
  for (unsigned n = 0; n < me->step.signals; n++) send_wake_up(me, me->step.signal[n], cycle);
  if (sphere->logs->scheme != &order_tokens) look_all(sphere, cycle);
}

/* -- Arcs: clocks that others wait for --------------------------------------------------------------------------------- */

static bool counts_positions(const struct follower *me) {
  return me->sphere->logs->scheme == &order_arcs;
}

static void publish_position(struct follower *me) {
  uint64_t clock = order_replay_clock(&me->last, position_of(me));
  order_replay_publish(&me->sphere->board, me->slot, clock);
  if (clock < me->wanted) return;
  me->wanted = UINT64_MAX;
  look_all(me->sphere, now_of(me));
}

/* Where it has to stop for those who wait for it. */
static uint64_t wanted_position(const struct follower *me) {
  return me->wanted == UINT64_MAX ? UINT64_MAX : me->wanted - me->last.clock + me->last.until;
}

static void want(struct follower *me) {
  struct replayed_sphere *sphere = me->sphere;
  for (unsigned n = 0; n < me->step.waits; n++) {
    const struct order_wait *wait = &me->step.wait[n];
    struct follower *source = wait->kind == ORDER_WAIT_CLOCK ? sphere->slot[wait->slot] : NULL;
    if (!source) continue;
    publish_position(source);
    if (order_replay_ready(&sphere->board, me->slot, &me->step)) return;
    if (wait->value < source->wanted) source->wanted = wait->value;
    struct port *port = source->thread ? source->thread->port : NULL;
    if (port && wanted_position(source) < port->stop) port->stop = wanted_position(source);
  }
}

/* -- A thread's way along its log --------------------------------------------------------------------------------------- */

static void next_step(struct follower *me) {
  const struct order_log *log = &me->sphere->logs->log[me->slot];
  if (me->used == log->count) {
    me->phase = me->cut ? PHASE_CUT : PHASE_OVER;
    if (!counts_positions(me)) order_replay_publish(&me->sphere->board, me->slot, INT64_MAX);
    look_all(me->sphere, now_of(me));
    return;
  }
  int bytes = order_decode(&me->reader, &me->step, log->bytes + me->used, log->count - me->used);
  if (bytes <= 0) {
    fail(me, "its order log is damaged");
    me->phase = PHASE_OVER;
    return;
  }
  me->used += (size_t)bytes;
  me->phase = PHASE_BEFORE;
}

/* Goes on as far as it may at this position. False: it has to wait. Else *stop is where to ask again. */
static bool proceed(struct follower *me, uint64_t position, uint64_t *stop) {
  for (;;) {
    *stop = UINT64_MAX;
    switch (me->phase) {
      case PHASE_NEXT:
        next_step(me);
        break;
      case PHASE_BEFORE:
        *stop = me->step.from;
        if (position < me->step.from) return true;
        if (position > me->step.from) fail(me, "it went past a step of its order log");
        if (!me->arrived) {
          me->arrived = true;
          order_replay_arrive(&me->sphere->board, me->slot, &me->step);
          if (me->step.arrive) look_all(me->sphere, now_of(me));
        }
        if (!order_replay_ready(&me->sphere->board, me->slot, &me->step)) return false;
        order_replay_pass(&me->sphere->board, me->slot, &me->step);
        me->arrived = false;
        me->phase = PHASE_INSIDE;
        break;
      case PHASE_INSIDE:
        *stop = me->step.until;
        if (position < me->step.until) return true;
        tell(me);
        me->last = me->step;
        me->phase = PHASE_NEXT;
        break;
      case PHASE_CUT: /* what it did then is not known any more */
        *stop = me->cut->position;
        return position < me->cut->position;
      default:
        return true;
    }
  }
}

/* A thread has ended. Steps may be left in its log that pass on an order between others (Karma section 4.6: a proxy's), without an instruction
   of its own: they take place when they are ready, as if it were still there. */
static void finish(struct follower *me) {
  uint64_t stop;
  if (!proceed(me, me->position, &stop)) {
    me->closed = true;
    return;
  }
  if (me->phase != PHASE_OVER) fail(me, "it ends before its order log does");
  order_replay_publish(&me->sphere->board, me->slot, INT64_MAX);
  order_replay_end(&me->sphere->board, me->slot);
  look_all(me->sphere, now_of(me));
}

/* -- Values of problematic reads ------------------------------------------------------------------------------------------ */

static void next_value(struct follower *me) {
  const uint8_t *bytes = me->sphere->logs->log[me->slot].bytes + me->values_used;
  size_t left = me->values_end - me->values_used;
  uint64_t moved, last = me->value_position;
  me->value_position = UINT64_MAX;
  if (!left) return;
  int n = varint_get(&moved, bytes, left);
  bool ahead = n > 0 && last + moved >= position_of(me);
  if (!ahead || left - (size_t)n < 1u || bytes[n] > sizeof me->value || left - (size_t)n - 1 < bytes[n]) {
    fail(me, "its log of values is damaged");
    return;
  }
  me->value_position = last + moved;
  me->value_size = bytes[n];
  memcpy(me->value, bytes + n + 1, me->value_size);
  me->values_used += (size_t)n + 1 + me->value_size;
}

/* The values are the log's first part. */
static void first_value(struct follower *me) {
  const struct order_log *log = &me->sphere->logs->log[me->slot];
  uint64_t count = 0;
  int n = varint_get(&count, log->bytes, log->count);
  if (n <= 0 || count > log->count - (size_t)n) {
    fail(me, log->count ? "its order log is damaged" : "it was not recorded");
    me->used = log->count;
    me->value_position = UINT64_MAX;
    return;
  }
  me->values_used = (size_t)n;
  me->used = me->values_end = (size_t)n + count;
  next_value(me);
}

static void give_values(struct follower *me, struct port *port) {
  if (me->giving && port->position > me->value_position) {
    me->giving = false;
    port->loads = &port->own_loads;
    next_value(me);
  }
  if (port->position == me->value_position) {
    me->giving = true;
    port->loads = &fast_empty;
    if (port->stop > port->position + 1) port->stop = port->position + 1;
  } else if (me->value_position < port->stop) {
    port->stop = me->value_position;
  }
}

static void loaded(struct port *port, struct access *access) {
  bool replayed = port->thread && port->thread->sphere->mode == SPHERE_REPLAY;
  struct follower *me = replayed ? port->thread->order : NULL;
  if (!me || !me->giving || access->kernel) return;
  if (access->size != me->value_size) fail(me, "a load whose value was logged has another size");
  memcpy(access->data, me->value, access->size < me->value_size ? access->size : me->value_size);
}

/* -- The gate --------------------------------------------------------------------------------------------------------------- */

static bool pass(struct follower *me, struct port *port) {
  if (counts_positions(me)) publish_position(me);
  bool open = proceed(me, port->position, &port->stop);
  if (counts_positions(me)) {
    bool waits = !open && me->phase != PHASE_CUT;
    if (waits) want(me);
    if (waits && order_replay_ready(&me->sphere->board, me->slot, &me->step)) return pass(me, port);
    if (wanted_position(me) < port->stop) port->stop = wanted_position(me);
  }
  me->closed = !open;
  return open;
}

static bool gate(struct port *port) {
  struct follower *me = port->thread->order;
  bool open = pass(me, port);
  if (open) give_values(me, port);
  return open;
}

/* -- The watcher --------------------------------------------------------------------------------------------------------- */

static struct replayed_sphere *sphere_of(struct machine *machine, const struct sphere *sphere) {
  struct replayed_sphere **found = &replayer_of(machine)->sphere[sphere->number];
  if (!*found) {
    *found = calloc(1, sizeof **found);
    CHECK(*found, "out of memory");
    (*found)->machine = machine;
    (*found)->logs = sphere->order;
  }
  return *found;
}

/* From a checkpoint: the steps before its position have been made. */
static void skip_to(struct follower *me, uint64_t position) {
  for (;;) {
    next_step(me);
    if (me->phase != PHASE_BEFORE || me->step.from >= position) break;
    me->last = me->step;
    me->phase = PHASE_INSIDE;
    if (me->step.until > position) break;
  }
  publish_position(me);
}

void replayer_ended(struct machine *machine, struct sphere *sphere, unsigned slot) {
  struct order_board *board = &sphere_of(machine, sphere)->board;
  order_replay_spawn(board, slot);
  order_replay_publish(board, slot, INT64_MAX);
  order_replay_end(board, slot);
}

static void born(struct machine *machine, struct thread *parent, struct thread *child) {
  (void)parent;
  struct follower *me = calloc(1, sizeof *me);
  CHECK(me && child->number < ORDER_SLOTS, "no room for thread %u", child->number);
  me->thread = child;
  me->sphere = sphere_of(machine, child->sphere);
  me->slot = child->number;
  me->reader.scheme = me->sphere->logs->scheme;
  me->wanted = UINT64_MAX;
  const struct archive_cut *cuts = child->sphere->breaks_off;
  if (cuts && child->number >= me->sphere->logs->slots) fail(me, "it was not recorded");
  if (cuts && child->number < me->sphere->logs->slots && !cuts[child->number].ended)
    me->cut = &cuts[child->number];
  first_value(me);
  me->sphere->slot[me->slot] = child->order = me;
  order_replay_spawn(&me->sphere->board, me->slot);
  if (child->position) skip_to(me, child->position);
}

/* The gate is asked before anything is executed. */
static void enter(struct port *port) {
  struct follower *me = port->thread->order;
  port->stop = port->position;
  me->last_port = port->number;
}

static void leave(struct port *port, enum leave_reason reason) {
  struct follower *me = port->thread->order;
  port->loads = &port->own_loads;
  if (counts_positions(me)) publish_position(me);
  if (reason != LEAVE_EXIT) return;
  port->thread->order = NULL;
  me->position = port->position;
  me->thread = NULL;
  finish(me);
}

const struct watcher replayer_watcher = {.born = born, .enter = enter, .leave = leave, .gate = gate};

void replayer_begin(struct machine *machine) {
  struct replayer *replayer = calloc(1, sizeof *replayer);
  CHECK(replayer, "out of memory");
  watch_begin(machine)->replayer = replayer;
  if (!machine->config.flat) caches_of(machine)->loaded = loaded;
}

/* The error in a thread's position, or NULL. A thread that had ended must have ended, one that had not begun (a hart, which has its number from the beginning) is not there. */
static const char *misses(const struct follower *me, const struct archive_cut *cut) {
  if (!me) return cut->ended && !cut->position ? NULL : "it was not born";
  if (cut->ended)
    return me->thread || me->phase != PHASE_OVER ? "it has not ended, where the recording breaks off" : NULL;
  if (!me->thread) return "it has ended, where the recording breaks off";
  if (me->phase != PHASE_CUT) return "it waits for what is not in its order log";
  if (position_of(me) != cut->position) return "it stands elsewhere than the recording has it";
  return cut->digest && cut->digest != digest_thread(me->thread)
             ? "it has other registers than in the recording"
             : NULL;
}

bool replayer_reached(struct machine *machine, const struct sphere *sphere) {
  if (watch_of(machine)->chunks) return chunks_over(machine, sphere);
  struct replayer *replayer = replayer_of(machine);
  const struct replayed_sphere *replayed = replayer->sphere[sphere->number];
  for (uint32_t slot = 0; replayed && slot < replayed->logs->slots; slot++) {
    const struct follower *me = replayed->slot[slot];
    const char *wrong = misses(me, &sphere->breaks_off[slot]);
    if (!wrong) continue;
    snprintf(replayer->line, sizeof replayer->line, "thread %u, position %lu of %lu: %s", slot,
             (unsigned long)(me ? position_of(me) : 0), (unsigned long)sphere->breaks_off[slot].position,
             wrong);
    replayer->error = replayer->line;
    return false;
  }
  return replayed;
}

const char *replayer_error(const struct machine *machine) {
  return watch_of(machine)->chunks ? chunks_error(machine) : replayer_of(machine)->error;
}

void replayer_end(struct machine *machine) {
  if (watch_of(machine)->chunks) chunks_end(machine);
  struct replayer *replayer = replayer_of(machine);
  for (unsigned n = 0; n < sizeof replayer->sphere / sizeof *replayer->sphere; n++) {
    struct replayed_sphere *sphere = replayer->sphere[n];
    if (!sphere) continue;
    for (int slot = 0; slot < ORDER_SLOTS; slot++) free(sphere->slot[slot]);
    free(sphere);
  }
  free(replayer);
  watch_of(machine)->replayer = NULL;
  watch_end(machine);
}

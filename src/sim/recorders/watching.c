/* watching.c: see watching.h. */
#include "sim/recorders/watching.h"

#include <stdlib.h>

#include "sim/machine/check.h"
#include "sim/recorders/chunks.h"

static const struct watcher *whose(const struct machine *machine, const struct thread *thread) {
  if (thread->sphere->mode == SPHERE_PLAIN) return NULL;
  if (watch_of(machine)->chunks) return &chunks_watcher;
  if (thread->sphere->mode == SPHERE_RECORD) return &recorder_watcher;
  return thread->sphere->mode == SPHERE_REPLAY ? &replayer_watcher : NULL;
}

static void born(struct machine *machine, struct thread *parent, struct thread *child) {
  const struct order_logs *logs = child->sphere->mode == SPHERE_REPLAY ? child->sphere->order : NULL;
  if (logs && logs->scheme == &order_chunks && !watch_of(machine)->chunks)
    chunks_begin(machine, CHUNK_INSTRUCTIONS, INTERRUPT_SQUASH);
  const struct watcher *watcher = whose(machine, child);
  child->order = NULL;
  if (watcher) watcher->born(machine, parent, child);
}

static void enter(struct port *port) {
  const struct watcher *watcher = whose(port->machine, port->thread);
  port->stop = port->references_stop = UINT64_MAX;
  if (watcher) watcher->enter(port);
}

static void leave(struct port *port, enum leave_reason reason) {
  const struct watcher *watcher = whose(port->machine, port->thread);
  if (watcher) watcher->leave(port, reason);
}

static bool gate(struct port *port) {
  const struct watcher *watcher = whose(port->machine, port->thread);
  port->stop = UINT64_MAX;
  return !watcher || !watcher->gate || watcher->gate(port);
}

static bool border(struct port *port, enum border why) {
  const struct watcher *watcher = whose(port->machine, port->thread);
  return !watcher || !watcher->border || watcher->border(port, why);
}

static bool interrupt(struct port *port) {
  const struct watcher *watcher = whose(port->machine, port->thread);
  return !watcher || !watcher->interrupt || watcher->interrupt(port);
}

static const struct watcher both = {
    .born = born, .enter = enter, .leave = leave, .gate = gate, .border = border, .interrupt = interrupt};

struct watch *watch_begin(struct machine *machine) {
  if (!machine->watch) machine->watch = calloc(1, sizeof(struct watch));
  CHECK(machine->watch, "out of memory");
  machine->watcher = &both;
  return machine->watch;
}

void watch_end(struct machine *machine) {
  struct watch *watch = machine->watch;
  if (watch->recorder || watch->replayer || watch->chunks) return;
  free(watch);
  machine->watch = NULL;
  machine->watcher = NULL;
}

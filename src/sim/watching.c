/* watching.c: see watching.h. */
#include "sim/watching.h"

#include <stdlib.h>

#include "sim/check.h"

static const struct watcher *whose(const struct thread *thread) {
  if (thread->sphere->mode == SPHERE_RECORD) return &recorder_watcher;
  return thread->sphere->mode == SPHERE_REPLAY ? &replayer_watcher : NULL;
}

static void born(struct machine *machine, struct thread *parent, struct thread *child) {
  const struct watcher *watcher = whose(child);
  child->order = NULL;
  if (watcher) watcher->born(machine, parent, child);
}

static void enter(struct port *port) {
  const struct watcher *watcher = whose(port->thread);
  port->stop = port->references_stop = UINT64_MAX;
  if (watcher) watcher->enter(port);
}

static void leave(struct port *port, enum leave_reason reason) {
  const struct watcher *watcher = whose(port->thread);
  if (watcher) watcher->leave(port, reason);
}

static bool gate(struct port *port) {
  const struct watcher *watcher = whose(port->thread);
  port->stop = UINT64_MAX;
  return !watcher || !watcher->gate || watcher->gate(port);
}

static const struct watcher both = {.born = born, .enter = enter, .leave = leave, .gate = gate};

struct watch *watch_begin(struct machine *machine) {
  if (!machine->watch) machine->watch = calloc(1, sizeof(struct watch));
  CHECK(machine->watch, "out of memory");
  machine->watcher = &both;
  return machine->watch;
}

void watch_end(struct machine *machine) {
  struct watch *watch = machine->watch;
  if (watch->recorder || watch->replayer) return;
  free(watch);
  machine->watch = NULL;
  machine->watcher = NULL;
}

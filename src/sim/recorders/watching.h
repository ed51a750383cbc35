/* watching.h: recorder and replayer side by side in one machine: each sees the threads of its own spheres. */
#ifndef REPRISE_SIM_WATCHING_H
#define REPRISE_SIM_WATCHING_H

#include "sim/machine/machine.h"

struct watch {
  struct recorder *recorder; /* NULL: nothing is recorded */
  struct replayer *replayer;
  struct chunks *chunks; /* in place of both, when the scheme is `chunk` */
};

extern const struct watcher recorder_watcher, replayer_watcher, chunks_watcher;

static inline struct watch *watch_of(const struct machine *machine) {
  return machine->watch;
}
/* Makes the machine's watcher, if there is none yet. */
struct watch *watch_begin(struct machine *machine);
/* Removes the watcher, if recorder, replayer and chunks are gone. */
void watch_end(struct machine *machine);

#endif

/* config.h: the configuration that this process has from the launcher (contract/engine.h), and questions about it. */
#ifndef REPRISE_ENGINE_CONFIG_H
#define REPRISE_ENGINE_CONFIG_H

#include <stdbool.h>

#include "contract/engine.h"

extern int engine_fd; /* the first of the engine's descriptors */
extern struct engine_config config;
static inline bool recording(void) {
  return config.mode == MODE_RECORD;
}
static inline bool replaying(void) {
  return __builtin_expect(config.mode == MODE_REPLAY, 0);
}
/* Contended memory is recorded by the values read from it (order/open_blocks.h). */
static inline bool values_on(void) {
  return __builtin_expect(config.values != VALUES_OFF, 0);
}
/* The recording has its values, which a replay in a solved order does not need. */
static inline bool values_recorded(void) {
  return values_on() || __builtin_expect(config.solved, 0);
}
static inline bool in_sphere(void) {
  return __builtin_expect(config.mode != MODE_RUN, 0);
}
/* A debugger drives the replay. */
static inline bool debugged(void) {
  return __builtin_expect(config.debugged, 0);
}

/* What the order of the sphere's threads demands of the code that is emitted, and of the processor that the program sees. */
struct demands {
  bool
      permissions; /* recording: threads request the memory that they access from each other (permissions.h) */
  bool
      told_accesses; /* every access has a place in the order: no instruction whose accesses can't be told, and those with many in pieces */
  bool frequent_stops; /* replay stops threads every few hundred instructions, where their order logs say */
};
extern struct demands demands;
/* Decides them, from the configuration that was read. */
void config_decide(void);

static inline bool permissions_on(void) {
  return __builtin_expect(demands.permissions, 0);
}
/* Only synchronisation is ordered (order/sync.h). */
static inline bool sync_on(void) {
  return __builtin_expect(config.order == ENGINE_SYNC, 0);
}

#endif

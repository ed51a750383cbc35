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
static inline bool in_sphere(void) {
  return __builtin_expect(config.mode != MODE_RUN, 0);
}
/* A debugger drives the replay. */
static inline bool debugged(void) {
  return __builtin_expect(config.debugged, 0);
}
/* The threads of the sphere run at once. */
static inline bool in_parallel(void) {
  return __builtin_expect(config.order != ENGINE_CHUNK, 0);
}
/* Threads request the memory that they access from each other (permissions.h). */
static inline bool permissions_on(void) {
  return __builtin_expect(config.mode == MODE_RECORD, 0) && in_parallel();
}

#endif

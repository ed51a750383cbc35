/* rest.h: the one place where threads of a replay wait for their turn, or for their end (rest.c).
 *
 * A checkpoint is made while all threads but one are here, and none leaves. A thread that goes on from a checkpoint returns from here, as after a
 * spurious wake-up: callers check their condition again. */
#ifndef REPRISE_ENGINE_REST_H
#define REPRISE_ENGINE_REST_H

#include "contract/region.h"
#include "engine/base/thread.h"

/* Replays with checkpoints. */
static inline bool has_checkpoints(void) {
  return __builtin_expect(config.checkpoints, 0);
}

/* Waits as region_wait_longer does on the thread's word for its turn, while that is 0. */
void rest(struct thread *thread, uint32_t times);

/* At a place where all other threads rest, or come to rest: makes a checkpoint, or halts, if the manager wants it. */
void rest_point(struct thread *thread);

/* The functions of checkpoint_vessel.c and live_vessel.c that rest, rest_point and region/live.c need. */
struct vessel_maker {
  bool (*make)(struct thread *thread);    /* the vessel of this process; true: in a runner of it */
  void (*resumed)(struct thread *thread); /* the thread was made again */
  bool (*is_alone)(void);                 /* no other process has this memory */
  void (*divert)(struct thread *thread);  /* makes a diversion of this process, for the debugger */
  /* In a recording: the vessel of this process, from which a replay begins; 0 or -errno. A thread of that replay begins. */
  long (*make_live)(struct thread *thread);
  void (*resumed_live)(void);
};
extern const struct vessel_maker *vessel_maker;

#endif

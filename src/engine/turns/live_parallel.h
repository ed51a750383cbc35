/* live_parallel.h: checkpoints of a recording whose threads run at once (live_parallel.c; region/live.h). */
#ifndef REPRISE_ENGINE_LIVE_PARALLEL_H
#define REPRISE_ENGINE_LIVE_PARALLEL_H

#include "engine/base/thread.h"

/* Around a wait in the kernel: parks the thread, and unparks it when no checkpoint is being made. */
void live_park(struct thread *thread);
void live_unpark(struct thread *thread);

/* At a safepoint: takes part in a checkpoint, or makes the one that the manager wants. */
void live_safepoint(struct thread *thread);

#endif

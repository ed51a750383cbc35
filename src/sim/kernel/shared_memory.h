/* shared_memory.h: System V shared memory: segments of physical pages that processes of a sphere attach. */
#ifndef REPRISE_SIM_SHARED_MEMORY_H
#define REPRISE_SIM_SHARED_MEMORY_H

#include "sim/kernel/kernel.h"

/* A process's copy of the space has the same segments attached. */
void shared_memory_fork(struct kernel *kernel, const struct space *from, struct space *to);
/* A process stops using the space; if it was the last one, its segments are detached. */
void shared_memory_leave(struct kernel *kernel, struct space *space);
/* The sphere has had a segment. */
bool shared_memory_is_used(const struct kernel *kernel, const struct sphere *sphere);
void shared_memory_end(struct kernel *kernel);

#endif

/* limits.h: RLIMIT_DATA and RLIMIT_AS as the application sees them (limits.c).
 *
 * The kernel counts the engine's memory too, and would refuse both far too early. So the kernel's limits are raised as
 * far as they may be, and the application's are kept here and held against the book of its mappings. */
#ifndef REPRISE_ENGINE_LIMITS_H
#define REPRISE_ENGINE_LIMITS_H

#include "engine/base/thread.h"

/* Once, before the engine maps anything large. */
void limits_init(void);
/* getrlimit, setrlimit and prlimit64 of the calling process for these two. */
bool limits_call(struct thread *thread, const struct call *call, long *result);
/* Whether the application may have so many bytes more, of which some count as data. Under mappings_lock. */
bool limits_allow(size_t bytes, size_t data);
/* RLIMIT_DATA, which brk(2) holds against the heap alone. */
uint64_t limits_data(void);

#endif

/* limits.h: RLIMIT_DATA and RLIMIT_AS as the application sees them (limits.c).
 *
 * The kernel counts the engine's memory too, and would refuse memory far too early. So the engine raises the kernel's limits as
 * far as it may, keeps the application's limits here and compares them with the book of its mappings. */
#ifndef REPRISE_ENGINE_LIMITS_H
#define REPRISE_ENGINE_LIMITS_H

#include "engine/base/thread.h"

/* Once, before the engine maps anything large. */
void limits_init(void);
/* getrlimit, setrlimit and prlimit64 of the calling process for these two. */
bool limits_call(struct thread *thread, const struct call *call, long *result);
/* True if the application may have so many bytes more, of which `data` bytes count as data. Under mappings_lock. */
bool limits_allow(size_t bytes, size_t data);
/* RLIMIT_DATA, which brk(2) compares with the heap alone. */
uint64_t limits_data(void);

#endif

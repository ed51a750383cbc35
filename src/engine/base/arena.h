/* arena.h: memory for the engine's own tables, inside its region (arena.c).
 *
 * A bump allocator with free lists by size class. Memory comes zeroed. Never returns NULL. */
#ifndef REPRISE_ENGINE_ARENA_H
#define REPRISE_ENGINE_ARENA_H

#include <stddef.h>

void *arena_alloc(size_t bytes);
void arena_free(void *memory, size_t bytes);
/* The thread was killed: see lock_left_by. */
struct thread;
void arena_left_by(const struct thread *dead);
/* No thread may be inside the arena when the process is copied. */
void arena_before_fork(void);
void arena_after_fork(void);

#endif

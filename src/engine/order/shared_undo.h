/* shared_undo.h: the old content of memory that processes share, in case SIGKILL comes before a store to it counts (shared_undo.c).
 *
 * The kernel ends a process between any two instructions, also between a store that others can read and the store that publishes its
 * position. Replay would lack the former. So the holder of the lock of such memory (shared.h) first keeps the old bytes; a
 * process that is killed before its position has moved on counts as killed before the store, and the store is undone.
 *
 * All of it under that lock. */
#ifndef REPRISE_ENGINE_SHARED_UNDO_H
#define REPRISE_ENGINE_SHARED_UNDO_H

#include "engine/memory/mappings.h"
#include "engine/region/rings.h"

/* Before a store: keeps the old bytes. The store counts as soon as the thread's published position is beyond this one. */
void undo_keep(const struct thread *thread, const struct mapping *mapping, uintptr_t address, size_t bytes);
/* Before a call that changes such memory in ways that can't be undone. */
void undo_keep_nothing(const struct thread *thread);
/* The thread's position has moved on, and the stores that bytes were kept for are still to come. */
void undo_renew(const struct thread *thread);
/* The stores are made, and count: the lock is about to be released. */
void undo_forget(void);

/* The lock's holder was killed. */
void undo_find_dead(void);
/* True if the pieces kept last are of the slot's thread, whose stores may not count. */
bool undo_is_of(unsigned slot);
/* Undoes the stores that killed threads have left half done in that part of the object. */
void undo_apply(const struct mapping *mapping, uintptr_t address, size_t bytes);
/* A call is about to change files: no store may be left to undo. */
void undo_expect_none(void);

#endif

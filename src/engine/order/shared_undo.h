/* shared_undo.h: what memory that processes share held before a store, in case SIGKILL comes before the store counts (shared_undo.c).
 *
 * The kernel ends a process between any two instructions, also between a store that others can read and the one that makes its
 * position known. Replay would lack that store. So whoever has the lock of such memory (shared.h) first keeps what lies there; a
 * process that is killed before its position has moved on was killed before the store, and the store is taken back.
 *
 * All of it under that lock. */
#ifndef REPRISE_ENGINE_SHARED_UNDO_H
#define REPRISE_ENGINE_SHARED_UNDO_H

#include "engine/memory/mappings.h"
#include "engine/region/rings.h"

/* Before a store: keeps what is there. The store counts as soon as the thread's position is known to be beyond this one. */
void undo_keep(const struct thread *thread, const struct mapping *mapping, uintptr_t address, size_t bytes);
/* Before a call that changes such memory, in ways that can't be taken back. */
void undo_keep_nothing(const struct thread *thread);
/* The thread's position has moved on, and the stores that things were kept for are still to come. */
void undo_renew(const struct thread *thread);
/* They are made, and count: the lock is about to be let go. */
void undo_forget(void);

/* Who had the lock was killed. */
void undo_find_dead(void);
/* Whether it is the slot's thread whose stores have been kept last, and may not count. */
bool undo_is_of(unsigned slot);
/* Takes back what the killed have left half done in that part of the object. */
void undo_apply(const struct mapping *mapping, uintptr_t address, size_t bytes);
/* Files are going to be changed by a call: nothing may be left to take back. */
void undo_expect_none(void);

#endif

/* shared.h: memory that processes of the sphere share, recorded in parallel (shared.c).
 *
 * Its blocks are known by backing object and offset, not by address, so that all mappings of an object, in one process or several,
 * are the same blocks. No permission for them is ever kept: each access is made under one lock of the sphere, which is let go right
 * after it, and its edges come from the threads that accessed those blocks before. No request is sent, so threads of
 * different processes never wait for each other's safepoints, and a killed thread blocks no other.
 *
 * Only files that a process of the sphere may write are ordered so; memory without a file only from the first fork on that keeps it.
 * Mappings of a file that does not change are ordinary memory. When the file changes, its process orders them as shared memory from then
 * on; a change by another process is refused.
 * Pages of such memory are marked, and a marked page never passes the inline check: see hand_over.h. */
#ifndef REPRISE_ENGINE_SHARED_H
#define REPRISE_ENGINE_SHARED_H

#include "engine/memory/mappings.h"
#include "engine/region/rings.h"

/* -- Which memory it is --------------------------------------------------------------------------------------------- */

struct shared_kind {
  bool shared;   /* not MAP_PRIVATE */
  bool stores;   /* … and it can be written */
  uint64_t size; /* of the object, now */
};
/* With the stage taken: mmap or shmat has mapped [at, at + bytes), from that offset of the object on. NULL: memory without a file. */
void shared_mapped(uintptr_t at, size_t bytes, struct region_object *object, uint64_t offset,
                   struct shared_kind kind);
/* With the stage taken: the file changes from here on, by a mapping or else by a call of this process. */
void shared_changes(struct region_object *object, bool by_mapping);
/* With the stage taken: a call of this process has given the file that size. */
void shared_resized(struct region_object *object, uint64_t size);
/* With the stage taken, before a fork: memory that the child will share is ordered from here on. */
void shared_inherit(void);
/* With the stage taken: mappings have changed. */
void shared_refresh(void);

/* True if the page of the address is such memory, or another page whose blocks have the same numbers (PERMISSION_BLOCKS). */
bool shared_is_marked(uintptr_t address);
/* How often the marks have changed. */
uint32_t shared_marks(void);
/* True if any of the range may be such memory. */
bool shared_reaches(uintptr_t address, size_t bytes);
/* How many bytes from the address on, limit at most, are of one kind. *mapping: their mapping if they are shared. */
size_t shared_run(uintptr_t address, size_t limit, bool *shared, struct mapping *mapping);

/* -- Touching it ----------------------------------------------------------------------------------------------------- */

/* Waits for the lock, unless the thread has it, and orders the thread after the threads that accessed that part of the mapping. The caller
 * must not wait for another thread until shared_leave. */
void shared_take(struct thread *thread, const struct mapping *mapping, uintptr_t address, size_t bytes,
                 bool write);
/* The same for all such memory: a call changes a file. */
void shared_take_all(struct thread *thread);
bool shared_holds(const struct thread *thread);
/* The access is made and counted: releases the lock. */
void shared_leave(struct thread *thread);
/* Another process's threads are about to be killed, and make no more accesses: with the lock in hand. */
void shared_doom(struct thread *thread, int32_t pid);
/* The slot's thread was killed; a new one is to live there. */
void shared_bury(struct thread *thread, unsigned slot);
void shared_forget(unsigned slot);

#endif

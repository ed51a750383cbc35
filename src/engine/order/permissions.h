/* permissions.h: which thread may access which block of the application's memory, while threads are recorded in parallel (permissions.c).
 *
 * The hand-over itself is order/directory.h; here are its tables, its waits, and its interface to the engine.
 *
 * **The stage** is a block of its own, beside all memory. Every thread that runs application code, or touches application memory
 * for it, has it for reading. A thread that takes it for writing has the address space to itself: all others have stopped, their past
 * accesses are ordered before it, and their next ones after it. Mapping changes, forks and ends of threads do that. */
#ifndef REPRISE_ENGINE_PERMISSIONS_H
#define REPRISE_ENGINE_PERMISSIONS_H

#include "engine/region/rings.h"

/* A program begins, or a child of a fork: no block was accessed yet. The thread is the only one. */
void permissions_start(struct thread *thread);
/* Before a thread of this address space is created: its recorder is told of its birth. */
void permissions_spawn(struct thread *thread, struct rthread *child);
void permissions_enlist(struct thread *child, struct rthread *own);
/* A new thread's first act; the last one, with the stage taken. */
void permissions_begin(struct thread *thread);
void permissions_end(struct thread *thread);

/* The kernel has ended a thread of this address space, which could not leave by itself: its place will be another's. */
void permissions_gone(const struct thread *thread);

/* With the stage taken: the thread leaves this address space for another program; or could not, after all. */
void permissions_leave(struct thread *thread);
void permissions_come_back(struct thread *thread);
/* The slot's thread was killed: ends its order log at its last known position. Returns its clock there. */
uint64_t permissions_close(unsigned slot);
/* The same for a thread whose slot another thread will get. */
void permissions_bury(struct thread *thread, struct rthread *dead);

/* Takes all blocks of the accesses at once. The thread keeps them until it next serves, parks, or takes others. True: it has not
 * given anything up meanwhile. */
bool permissions_take(struct thread *thread, const struct access *accesses, unsigned count);
bool permissions_take_range(struct thread *thread, uintptr_t address, size_t bytes, bool write);
/* Takes the untouched blocks of the address's page, for writing. */
void permissions_claim_untouched(struct thread *thread, uintptr_t address);
/* True if the inline check permits the range to the thread. */
bool permissions_reach(struct thread *thread, uintptr_t address, size_t bytes, bool write);
/* Counts lost permissions; while it is unchanged the thread still has all that it took since. */
uint32_t permissions_lost(const struct thread *thread);

/* At a safepoint: answers requests. */
void permissions_serve(struct thread *thread);
/* Around a wait in the kernel: other threads may take the blocks that they need. */
void permissions_park(struct thread *thread);
void permissions_unpark(struct thread *thread);

/* In a call that the thread makes without being parked: if it is held now, it parks until it is let go. */
void permissions_stay(struct thread *thread);

/* A thread of the process that must not be stopped where it is, the caller if it is one; NULL: there is none. */
struct rthread *permissions_running(const struct thread *thread);
/* True if another thread is parked; it stays so for as long as it is held. */
bool permissions_is_parked(const struct rthread *other);
/* No thread sends it requests: there is no other in this address space, and it has not been in another one. */
bool permissions_alone(const struct thread *thread);
bool permissions_only_member(void);

/* Unparks a parent that the kernel has held until its child was gone, or no child came. A tick separates later accesses from earlier ones, because
 * replay has to tell them apart. */
void permissions_unpark_held(struct thread *thread, struct rthread *child, bool failed);

/* Around a call that writes to the sphere's standard output or error: such calls have the same order in replay. */
void permissions_take_output(struct thread *thread);
void permissions_leave_output(struct thread *thread);

/* Adds an edge from the slot's thread at that clock, which it has published: no request is sent. And the thread's own clock, for others. */
void permissions_follow(struct thread *thread, unsigned slot, uint64_t clock);
uint64_t permissions_clock(struct thread *thread);

/* With the stage taken: hides the threads' permissions for these blocks from the inline check, or shows them again (shared.h). */
void permissions_mark(uint32_t first, uint32_t count, bool set);

/* Takes the stage for writing, and lets others on it again. */
void permissions_stop(struct thread *thread);
void permissions_go(struct thread *thread);
bool permissions_has_stage(const struct thread *thread);
/* Ends all other threads of this process for good; the stage is taken. */
void permissions_retire_others(struct thread *thread);
/* The same for all threads of another process, if it shares its memory with this one; else false. That process is about to be killed; then
 * the others may go on. */
bool permissions_retire(struct thread *thread, int32_t pid);

/* Positions of the order log: instructions, and ticks for the engine's own work for the thread in between. */
static inline uint64_t order_position(const struct thread *thread) {
  return arch_position(thread) + thread->rthread->ticks;
}

/* safe_copy as the walkers want it. */
long read_application(void *context, void *to, uintptr_t from, size_t bytes);

#endif

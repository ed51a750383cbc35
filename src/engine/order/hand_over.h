/* hand_over.h: shared by the files that implement permissions.h: the tables and waits behind order/directory.h.
 *
 * Entries of blocks lie in the engine's region, so they belong to one address space; the slots lie in the memory that the
 * sphere's processes share, because a recorder lives on over execve, and a slot may be the home of a thread of
 * this process now and of another one's later. A directory entry that names the slot's former thread
 * now names the present one: a request to it costs a superfluous edge and does no harm. */
#ifndef REPRISE_ENGINE_HAND_OVER_H
#define REPRISE_ENGINE_HAND_OVER_H

#include "engine/order/permissions.h"
#include "engine/region/value_log.h"
#include "order/directory_steps.h"

enum {
  BLOCK_SHIFT = 6,
  PAGE_BLOCKS = DIRECTORY_GROUP,
  STAGE = PERMISSION_BLOCKS,
  STAGE_GROUP = STAGE / PAGE_BLOCKS
};

/* The inline check sees no permission for a block whose number is marked (shared.h): the thread's permissions for it are kept in bits of
 * their own, this much higher. */
enum {
  HIDES = 2,
  INLINE = PERMISSION_READ | PERMISSION_WRITE,
  HIDDEN = INLINE << HIDES,
  SHOWN = INLINE | PERMISSION_READ_PAIR | PERMISSION_WRITE_PAIR
};

#define GROUPS ((struct directory_group *)(DIRECTORY_BASE + 2 * DIRECTORY_PART))
#define WORDS ((uint64_t *)DIRECTORY_BASE)
#define INFOS ((uint64_t *)(DIRECTORY_BASE + DIRECTORY_PART))

extern struct thread *members[REGION_SLOTS]; /* threads of this address space, by slot */
extern uint8_t stage_held[REGION_SLOTS];     /* enum order_want */
extern _Atomic uint32_t sleepers; /* threads of this address space that wait for others and sleep */
extern struct order order;
extern struct directory directory;

static inline uint8_t *map_of(const struct thread *thread) {
  return (uint8_t *)thread + SLOT_PERMISSIONS;
}

static inline unsigned slot_number(const struct thread *thread) {
  return slot_of(thread->rthread);
}

static inline struct directory_slot *self(const struct thread *thread) {
  return &region->directory[slot_number(thread)];
}

/* Before anything is put into the thread's order log: the values that it has read up to there are in its input log. */
static inline void set_position(struct thread *thread) {
  if (values_on()) value_log_flush(thread);
  self(thread)->recorder.position = order_position(thread);
}

static inline void lock_recorder_of(unsigned slot) {
  while (!lock_recorder(&directory, slot)) arch_relax();
}

/* The slot has a request to serve: its thread should come to a safepoint soon. */
void kick(const struct directory *d, unsigned slot);

/* Waits until events of the thread's slot differ from `seen`, or for a while. */
void wait_for_events(struct thread *thread, uint32_t seen);
void claim_all(struct thread *thread, struct directory_claim *claim);
void park_steps(struct thread *thread, enum directory_result (*step)(const struct directory *, unsigned,
                                                                     struct directory_parking *));
/* True if another thread ends the process, even if that thread has already finished its own part. */
bool is_ending(unsigned me);
/* The process ends, and this thread with it. */
_Noreturn void retire(struct thread *thread);
/* A thread was killed at an unknown position, and other threads of this address space may see writes that it has not logged. */
_Noreturn void fail_killed(void);
/* Before a wait for other threads: releases shared memory, which has to be taken again afterwards. */
void let_go(struct thread *thread);

#endif

/* slots.h: the slots of threads, and the processes that share the address space (live_threads.c). */
#ifndef REPRISE_ENGINE_SLOTS_H
#define REPRISE_ENGINE_SLOTS_H

#include <linux/futex.h>

#include "engine/base/config.h"
#include "engine/base/thread.h"

static inline struct thread *slot_at(size_t index) {
  return (struct thread *)(THREAD_AREA_BASE + index * THREAD_AREA_STRIDE);
}

static inline size_t slot_index(const struct thread *thread) {
  return ((uintptr_t)thread - THREAD_AREA_BASE) / THREAD_AREA_STRIDE;
}

/* True if the kernel has ended the thread: it has cleared the word, or marked it as a robust futex whose owner has died. */
static inline bool slot_is_left(const struct thread *thread) {
  return !((uint32_t)atomic_load(&thread->kernel_tid) & FUTEX_TID_MASK);
}

/* The address space. Changed under threads_lock. */
extern struct sharing {
  _Atomic unsigned processes; /* that share it */
  _Atomic bool lent;          /* another process has had it, and its end was not reported */
} sharing;

bool process_is_alone(void);
/* A process is born that shares the memory, and its parent does not wait until it is gone. */
void process_lend_memory(void);
/* True if the memory's content does not depend on when other such processes have ended. */
bool process_was_alone(void);

#endif

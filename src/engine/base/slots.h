/* slots.h: what the files of thread.h share among themselves (threads.c, processes.c, thread_exit.c, lock.c). */
#ifndef REPRISE_ENGINE_SLOTS_H
#define REPRISE_ENGINE_SLOTS_H

#include <linux/futex.h>

#include "contract/engine.h"
#include "engine/base/thread.h"

static inline struct thread *slot_at(size_t index) {
  return (struct thread *)(THREAD_AREA_BASE + index * THREAD_AREA_STRIDE);
}

static inline size_t slot_index(const struct thread *thread) {
  return ((uintptr_t)thread - THREAD_AREA_BASE) / THREAD_AREA_STRIDE;
}

/* Whether the kernel has let go of the thread: it has cleared the word, or marked it as a robust futex whose owner has died. */
static inline bool slot_is_left(const struct thread *thread) {
  return !((uint32_t)atomic_load(&thread->kernel_tid) & FUTEX_TID_MASK);
}

/* A slot for a thread about to be cloned, its struct thread zeroed, its kernel_tid not free any more; not
 * on the list yet. NULL when there is no memory or no slot left. */
struct thread *slot_take(void);
/* Puts a thread on the list, takes it off again. Its slot is free again once the kernel has cleared
 * kernel_tid. */
void thread_enlist(struct thread *thread);
void thread_delist(struct thread *thread);
/* Takes off the list what ended without coming by: killed, or gone to another program after vfork. */
void threads_reap(void);
/* In the child of a fork: the calling thread is the only one. */
void threads_forget_others(struct thread *thread);
/* Memory of the slot that the next thread must find empty, given back. */
void slot_give_back(struct thread *thread);

/* A process, with one user. Processes that share this address space are counted. */
struct process *process_make(int pid, struct signal_actions *actions);
void process_drop(struct process *process);
/* The first half of it: the calling thread counts no more. True: it was the last, and has to free the process when it needs that no more. */
bool process_leave(struct process *process);
void process_free(struct process *process);
bool process_is_alone(void);
/* A process is born that shares the memory and does not hold its parent until it is gone. */
void process_lend_memory(void);
/* Whether what the memory is does not depend on when others of these have gone. */
bool process_was_alone(void);

/* Stores a thread's id (or 0) where the application wanted it, if the address is good. */
void store_tid(uintptr_t address, uint32_t tid);

_Noreturn void thread_exit(struct thread *thread, int status);
_Noreturn void process_exit(struct thread *thread, int status);
/* The clone family; result as for threads_call. */
bool clone_call(struct thread *thread, const struct call *call, long *result);
/* ptrace, when it stops a thread of this memory: not in the cache, nor with a lock of the engine. */
bool trace_call(struct thread *thread, const struct call *call, long *result);

/* tracing.c: registers of a thread of the sphere, for its tracer; requests that can't be recorded. */
bool tracing_call(struct thread *thread, const struct call *call, long *result);
bool tracing_is_refused(struct thread *thread, const struct call *call);

#endif

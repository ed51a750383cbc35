/* threads.h: the life of threads and processes (threads.c, processes.c, thread_exit.c). */
#ifndef REPRISE_ENGINE_THREADS_H
#define REPRISE_ENGINE_THREADS_H

#include "engine/base/slots.h"

/* The first thread of the process, in slot 0; it is the calling thread's self from then on. */
struct thread *thread_first(void);
/* The first steps of a new thread, before it runs its program. */
void thread_prepare(struct thread *thread);
/* System calls of threads.c: clone, clone3, fork, vfork, exit, exit_group, set_tid_address, set_robust_list, get_robust_list. */
bool threads_call(struct thread *thread, const struct call *call, long *result);

/* A slot for a thread about to be cloned, its struct thread zeroed, its kernel_tid not free any more; not
 * on the list yet. NULL when there is no memory or no slot left. */
struct thread *slot_take(void);
/* Puts a thread on the list, takes it off again. Its slot is free again once the kernel has cleared
 * kernel_tid. */
void thread_enlist(struct thread *thread);
void thread_delist(struct thread *thread);
/* Takes off the list what ended without coming by: killed, or gone to another program after vfork. */
void threads_reap(void);
/* In a copy of the process: the kernel has none of the threads that were about to end. */
void threads_forget_ended(void);
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

_Noreturn void thread_exit(struct thread *thread, int status);
_Noreturn void process_exit(struct thread *thread, int status);
/* Around a copy of the process: all of the engine's locks, but for the cache's own (cache_before_fork). child: in a copy that is a new
 * process of the application. */
void process_lock_all(struct thread *thread);
void process_unlock_all(struct thread *thread, bool child);
/* The clone family; result as for threads_call. */
bool clone_call(struct thread *thread, const struct call *call, long *result);
/* ptrace, when it stops a thread of this memory: not in the cache, nor with a lock of the engine. */
bool trace_call(struct thread *thread, const struct call *call, long *result);
/* Ends the process by the signal itself, so that whoever waits for it sees it die of that. Returns if it is spared. */
void process_die_of(struct thread *thread, const struct queued_signal *signal);

#endif

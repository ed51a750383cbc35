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
/* Takes threads off the list that ended without thread_exit.c: killed, or gone to another program after vfork. */
void threads_reap(void);
/* In a copy of the process: frees the slots of threads that were about to end, which the kernel did not copy. */
void threads_forget_ended(void);
/* In the child of a fork: the calling thread is the only one. */
void threads_forget_others(struct thread *thread);
/* Gives back the memory of the slot that the next thread must find empty. */
void slot_give_back(struct thread *thread);

/* A process, with one user. Processes that share this address space are counted. */
struct process *process_make(int pid, struct signal_actions *actions);
void process_drop(struct process *process);
/* The first half of process_drop: the calling thread counts no more. True: it was the last thread, and has to free the process after its last use. */
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
/* A ptrace that stops a thread of this address space: makes sure that the thread is not in the cache and holds no lock of the engine. */
bool trace_call(struct thread *thread, const struct call *call, long *result);
/* Ends the process by the signal itself, so that its parent sees it die of that signal. Returns if the process is spared. */
void process_die_of(struct thread *thread, const struct queued_signal *signal);

#endif

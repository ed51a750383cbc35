/* thread_words.h: the words of the application's memory that the kernel changes when a thread ends: robust mutexes, and the thread's id
 * (thread_words.c). */
#ifndef REPRISE_ENGINE_THREAD_WORDS_H
#define REPRISE_ENGINE_THREAD_WORDS_H

#include "engine/base/thread.h"

/* Stores a thread's id (or 0) where the application wanted it, if the address is good. */
void store_tid(uintptr_t address, uint32_t tid);
/* Marks the robust mutexes that the thread holds as abandoned, as the kernel does at its end or at an execve. */
void thread_leave_robust_list(struct thread *thread);
/* The same for the other threads of the process, which have stopped, at its end in a sphere: the kernel would mark them out of
 * turn. */
void process_leave_robust_lists(struct thread *thread);
/* Gives the kernel the word that is cleared at the thread's end, for a process that may be killed while others wait for the word. */
void thread_entrust_word(struct thread *thread);
/* Clears the word now; its waiter is woken when the thread ends. */
void thread_announce_end(struct thread *thread);
/* For a process that is about to end, whose other threads make no more steps: announces the ends of all threads if another process has its memory, too. */
void process_announce_end(struct thread *thread);

#endif

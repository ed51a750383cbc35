/* thread_words.h: the words of the application's memory that the kernel changes when a thread ends: robust mutexes, and the thread's id
 * (thread_words.c). */
#ifndef REPRISE_ENGINE_THREAD_WORDS_H
#define REPRISE_ENGINE_THREAD_WORDS_H

#include "engine/base/thread.h"

/* Stores a thread's id (or 0) where the application wanted it, if the address is good. */
void store_tid(uintptr_t address, uint32_t tid);
/* Marks the robust mutexes that the thread holds as abandoned, as the kernel does at its end or at an execve. */
void thread_leave_robust_list(struct thread *thread);
/* The same for the other threads of the process, which have come to a stop, at its end in a sphere: the kernel would do it out of
 * turn. */
void process_leave_robust_lists(struct thread *thread);
/* The word that is cleared at the thread's end: the kernel is told, where somebody may wait for a process that is killed. */
void thread_entrust_word(struct thread *thread);
/* The word is cleared now; whoever waits for that is woken when the thread ends. */
void thread_announce_end(struct thread *thread);
/* Both for a process that is about to end, if its memory is another's, too; the robust mutexes are left as well. */
void process_announce_end(struct thread *thread);

#endif

/* baton.h: whose turn it is (baton.c). The order scheme `chunk`: one R-thread of the sphere runs at a time. */
#ifndef REPRISE_ENGINE_BATON_H
#define REPRISE_ENGINE_BATON_H

#include "engine/order/rthreads.h"
#include "engine/region/rings.h"

/* Recording. Waits for the baton, fairly; the thread's chunk begins, or goes on if no other thread had the baton since. */
void baton_take(struct thread *thread);
/* Gives the baton to the next thread, or to none if no thread waits. */
void baton_release(struct thread *thread, enum chunk_reason reason);
/* The same under the region's lock. */
void baton_leave(struct thread *thread, enum chunk_reason reason);
/* At a safepoint: hands the baton on if the chunk is full and another thread waits. */
void baton_poll(struct thread *thread);
/* In a call: lets waiting threads go first. False: no thread waits. */
bool baton_yield(struct thread *thread);
/* The thread has woken another in the kernel: the resource that the other waits for is free now, and may not be when the chunk is full. */
void baton_offer(struct thread *thread);
/* The thread has made so many calls, or a call that took as long. */
void baton_spend(struct thread *thread, uint32_t calls);
bool baton_is_wanted(void);
/* A wait at the futex begins, and is over, by a wake-up or not. A thread that was woken only to find that another was faster gets the baton
 * at once next time. */
void baton_waits(struct thread *thread, uintptr_t futex);
void baton_waited(struct thread *thread, uintptr_t futex, bool woken);
/* The R-thread of that number in the slot has ended, by itself or ended by the kernel (exit_group, execve, a fatal signal).
 * Two threads may report the same end, and the slot may be another's by then. */
void baton_forget(struct rthread *rthread, uint32_t number);

/* Replay. The chunk is at its end: hands over to the thread that the log names. */
void baton_pass(struct thread *thread);
/* Waits for this thread's turn and learns where its chunk ends. */
void baton_await(struct thread *thread);

#endif

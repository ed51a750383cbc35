/* baton.h: whose turn it is (baton.c). The order scheme `chunk`: one R-thread of the sphere runs at a time. */
#ifndef REPRISE_ENGINE_BATON_H
#define REPRISE_ENGINE_BATON_H

#include "engine/order/rthreads.h"
#include "engine/region/rings.h"

/* Recording. Waits for the baton, fairly; the thread's chunk begins, or goes on if nobody had the baton since. */
void baton_take(struct thread *thread);
/* Gives it to the next, or leaves it. */
void baton_release(struct thread *thread, enum chunk_reason reason);
/* The same under the region's lock. */
void baton_leave(struct thread *thread, enum chunk_reason reason);
/* At a safepoint: hands it on if the chunk is full and somebody waits. */
void baton_poll(struct thread *thread);
/* In a call, if somebody waits: lets the others go first. False: nobody does. */
bool baton_yield(struct thread *thread);
/* The thread has woken another in the kernel: what that waits for is free now, and may not be when the chunk is full. */
void baton_offer(struct thread *thread);
/* The thread has made so many calls, or a call that took as long. */
void baton_spend(struct thread *thread, uint32_t calls);
bool baton_is_wanted(void);
/* A wait at the futex begins, and is over, by a wake-up or not: who is woken only to find that another was faster is to have the baton
 * at once next time. */
void baton_waits(struct thread *thread, uintptr_t futex);
void baton_waited(struct thread *thread, uintptr_t futex, bool woken);
/* The R-thread of that number in the slot has ended, by itself or without having come by (exit_group, execve, a fatal signal).
 * Both may be said of it at the same time, and the slot may be another's by then. */
void baton_forget(struct rthread *rthread, uint32_t number);

/* Replay. The chunk is at its end: hands over to whom the log says. */
void baton_pass(struct thread *thread);
/* Waits for this thread's turn and learns where its chunk ends. */
void baton_await(struct thread *thread);

#endif

/* thread_order.h: a thread's own order log, in a sphere whose threads run at once (thread_order.c).
 *
 * Positions of the order log count instructions and **ticks**: the engine's own work for a thread in between (copying for system
 * calls, pushing signal frames) accesses application memory too, may have to wait for other threads, and so has positions
 * of its own. Recording and replay tick at the same places. Where threads take turns one at a time there is nothing to do. */
#ifndef REPRISE_ENGINE_THREAD_ORDER_H
#define REPRISE_ENGINE_THREAD_ORDER_H

#include "engine/order/permissions.h"

/* The engine has done a piece of its own work for the thread. */
void order_tick(struct thread *thread);

/* The engine is about to write [address, address + bytes) for the thread: takes the range, or in replay waits for its predecessors. Then comes
 * the access, then order_tick. */
void order_write(struct thread *thread, uintptr_t address, size_t bytes);
/* The engine is about to change, at a position of its own, state of all threads of the address space: stops the others, or in replay waits for
 * its predecessors. Then comes the change, then order_tick, then order_together. */
void order_alone(struct thread *thread);
void order_together(struct thread *thread);

/* Replay: performs the order log's steps at the thread's position: publishes its progress, and waits for its predecessors. */
void order_gate(struct thread *thread);
/* The same of a thread that has come back from a checkpoint of the recording. */
void order_come_back(struct thread *thread);
/* Replay: only publishes, and does not wait. For a thread that is about to create a child: the child must exist before the thread checks whether all others are far
 * enough; the gate comes when the child is born. And for a thread that is about to execute another program. */
void order_tell_only(struct thread *thread);
/* Replay: the kernel is about to hold the thread until its child, which is born, is gone. Others need not wait for the thread meanwhile. */
void order_hold(struct thread *thread, struct rthread *child);
/* Replay: the instruction count at which the thread must call the gate again. */
uint64_t order_stop(const struct thread *thread);
/* A solved order: the instruction at which the thread is is an exception (order/exception.h): what it reads is put into memory; it was made, or not yet. */
static inline bool order_excepts(const struct thread *thread) {
  return __builtin_expect(config.solved, 0) && thread->rthread->replay.exception_count &&
         thread->rthread->replay.excepted_at == order_position(thread);
}
void order_except(struct thread *thread);
void order_except_over(struct thread *thread);
/* … or what is put into memory stays there. */
void order_except_for_good(struct thread *thread);
/* Replay: a thread is born; its parent calls this, or the thread itself if it has none. */
void order_adopt(struct rthread *child);
/* Replay: the recording has no more steps of the thread. */
_Noreturn void order_lost(struct thread *thread);
/* Replay: the other threads of the process are about to be ended: waits until they have come as far as in the recording. The thread
 * itself has published all that they may wait for. */
void order_retire_others(struct thread *thread);
/* Replay: the thread is at its end, as in the recording. */
void order_finish(struct thread *thread);

#endif

/* replay_waits.h: how threads of a replay in parallel wait for each other, and are woken (replay_waits.c). For thread_order.c. */
#ifndef REPRISE_ENGINE_REPLAY_WAITS_H
#define REPRISE_ENGINE_REPLAY_WAITS_H

#include "contract/region.h"
#include "engine/base/thread.h"

/* In rthread.waits_for, besides slots. */
enum {
  ORDER_RETIRED = UINT16_MAX,    /* it comes no further */
  ORDER_LEAVES = UINT16_MAX - 1, /* it waits until all others of its process are retired */
  ORDER_HELD = UINT16_MAX - 2,   /* the kernel holds it until its child is gone */
  ORDER_VALUE = UINT16_MAX - 4,  /* it waits until memory holds a value */
  ORDER_ROOM = UINT16_MAX - 3,   /* it waits until a thread has ended whose slot its child can have */
};

/* Waits until the thread's step is ready. */
void order_wait(struct thread *thread);
/* Waits, for a child that has not begun, until the former thread of its slot has ended. */
void order_wait_for_place(struct thread *thread, struct rthread *child);
/* Waits until the logs of all other threads of the process have ended; if these threads ran on beyond their logs, until the replay is over. */
void order_wait_for_others(struct thread *thread);

/* Waits until memory holds what the thread found there in the recording. */
void order_wait_for_value(struct thread *thread, bool (*holds)(void *context), void *context);

/* Waits until no thread can go on: then the replay is over. For a retired thread whose log was cut off. */
_Noreturn void order_wait_for_ever(struct thread *thread);
/* The recording was cut off with its recorder, and the thread's logs are not complete. */
bool order_is_cut_off(const struct rthread *rthread);

/* The thread lives in its slot of the recording from now on; no thread lives in that slot any more. */
void order_move_in(struct rthread *rthread);
void order_move_out(unsigned slot);

/* The slot has begun or ended: wakes the threads that wait for it. */
void order_tell(unsigned slot);
/* The slot was sent a token. */
void order_tell_token(unsigned slot, unsigned from);
/* The slot has published a clock. */
void order_tell_clock(unsigned slot, uint64_t clock);

/* arcs: the thread publishes its clock; the instruction count at which another thread waits for it. */
void order_come_by(struct thread *thread);
uint64_t order_wanted_stop(const struct thread *thread);

#endif

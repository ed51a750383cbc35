/* replay.h: the books of a parallel replay: what has been published, which tokens were sent.
 *
 * No directory and no permission: a thread counts and waits where its log says. All of this lies in memory that the threads
 * share. How to sleep is the substrate's business; whatever makes a wait end is a change of the board, so after each call
 * that changes it, those that sleep are to look again.
 *
 *     order_replay_spawn(board, slot)          the parent, at the clone, before it goes on: it knows the slot from the log of the child
 *     first step of a thread's log (`begins`): while (!order_replay_ready(board, me, &step)) sleep or spin
 *     for each step that follows:
 *       run to step.from
 *       order_replay_arrive(board, me, &step)
 *       while (!order_replay_ready(board, me, &step)) sleep or spin
 *       order_replay_pass(board, me, &step)
 *       run to step.until
 *       order_replay_done(board, me, &step)
 *     at its end, also where the recording has lost sight of it: order_replay_end(board, me)
 *
 * When nobody runs and nobody is ready the replay is stuck: order_replay_waits_for names one culprit per thread.
 *
 * arcs: others may wait for any position of a thread, not only for those where it has a step of its own. It must publish
 * order_replay_clock() now and then, and at once when it comes to a clock that somebody waits for: keep a word per thread
 * with the least clock wanted of it, let a waiter lower it and make the thread come by a safepoint, and there set a stop
 * at the position which that clock is (clock - step.clock + step.until of the last step passed). */
#ifndef REPRISE_ORDER_REPLAY_H
#define REPRISE_ORDER_REPLAY_H

#include <stdatomic.h>

#include "order/order.h"

struct order_board {
  _Atomic uint32_t spawns; /* all of them */
  _Atomic uint32_t slots;  /* one more than the highest in use */
  struct {                 /* a cache line each: all but its own thread only look */
    _Alignas(64) _Atomic uint64_t clock;
    _Atomic uint32_t begun, ended; /* threads of the slot */
  } slot[ORDER_SLOTS];
  _Atomic uint32_t sent[ORDER_SLOTS][ORDER_SLOTS]; /* tokens to, from … */
  uint32_t taken[ORDER_SLOTS][ORDER_SLOTS];        /* … by, from */
};

void order_replay_spawn(struct order_board *board, unsigned slot);
void order_replay_arrive(struct order_board *board, unsigned me, const struct order_step *step);
bool order_replay_ready(const struct order_board *board, unsigned me, const struct order_step *step);
void order_replay_pass(struct order_board *board, unsigned me, const struct order_step *step);
void order_replay_done(struct order_board *board, unsigned me, const struct order_step *step);
void order_replay_publish(struct order_board *board, unsigned me, uint64_t clock);
void order_replay_end(struct order_board *board, unsigned me);

/* arcs: the clock at a position, after the last step passed (or the one that begins). */
static inline uint64_t order_replay_clock(const struct order_step *last, uint64_t position) {
  return last->clock + position - last->until;
}

/* The wait that this step still has to make, and the slot it waits for; NULL and ORDER_NOBODY if the step is ready. */
const struct order_wait *order_replay_missing(const struct order_board *board, unsigned me,
                                              const struct order_step *step, unsigned *slot);
unsigned order_replay_waits_for(const struct order_board *board, unsigned me, const struct order_step *step);

#endif

/* serial.h: a recording of threads that ran at once, replayed one thread at a time (serial.c).
 *
 * The sequence of turns depends on the logs alone: at each change the turn goes to the thread whose next step has the least
 * (clock, number of the R-thread). In `dag` and `scalar` a step's predecessors have smaller clocks, so this sequence respects the order; in `tokens` and `arcs` steps
 * have no such clock, and the turn goes to the least number among the threads whose next step is ready. Debuggers need this: a stop must be one
 * state of all threads. All functions do nothing unless config.serial is set. */
#ifndef REPRISE_ENGINE_SERIAL_H
#define REPRISE_ENGINE_SERIAL_H

#include "engine/base/thread.h"
#include "contract/region.h"

static inline bool in_series(void) {
  return __builtin_expect(config.serial, 0);
}

/* The first thread of all has the turn. */
void serial_found(struct rthread *first);
/* The thread has come back from a checkpoint that was made in the recording, where there were no turns; has_step: its next step is known. When all such threads are
 * there, the turns begin. Returns when the thread has one. */
void serial_come_back(struct thread *thread, bool has_step);
/* A thread is born, whose first step is known; its parent has the turn. */
void serial_adopt(struct rthread *child);
/* The thread is at a step that it has not passed: passes the turn on, and returns when it has it again. */
void serial_step(struct thread *thread);
/* Waits until the first step of the child, which is not born yet, is ready. */
void serial_wait_for_place(struct thread *thread, struct rthread *child);
/* Waits until the other threads of the process have come to the ends of their logs. */
void serial_wait_for_others(struct thread *thread);
/* The kernel is about to hold the thread until its child lets it go, and has let go of it. */
void serial_hold(struct thread *thread);
void serial_resume(struct thread *thread);
/* The child lets go of the parent that the kernel holds for it; `lender`: the parent's slot + 1, 0: there is none. */
void serial_let_go(uint32_t lender);
/* The thread takes no more turns. */
void serial_leave(struct rthread *rthread);
/* True if others take turns after the thread, which is at its end; group: with its process. It has the turn. */
bool serial_has_followers(const struct rthread *rthread, bool group);

#endif

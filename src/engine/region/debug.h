/* debug.h: the engine's half of the debugger (debug.c). All of this is called only when config.debugged is set. */
#ifndef REPRISE_ENGINE_DEBUG_H
#define REPRISE_ENGINE_DEBUG_H

#include "contract/region_debug.h"
#include "engine/base/thread.h"

struct rthread;

/* The thread's part of the region, and where it is. */
struct debug_thread *debug_own(const struct thread *thread);
struct debug_moment debug_now(const struct thread *thread);

/* At a point: `found` describes it, and may be a hit. True: the replay was stopped here, and goes on. */
bool debug_look(struct thread *thread, struct debug_stop *found);
/* The same at an event, which is a hit only if that is wanted; the event is over. */
bool debug_event(struct thread *thread, struct debug_stop *found, bool wanted);
void debug_event_over(struct thread *thread);
/* Where a checkpoint may be made: a goal only for who has asked for it. */
void debug_at_rest_point(struct thread *thread);
/* The replay goes on from a checkpoint: waits until the debugger has set a goal. */
void debug_restarted(struct thread *thread);
/* The position at which the thread has to come to a point, UINT64_MAX: none. */
uint64_t debug_stop(const struct thread *thread);

/* True if blocks end before this address, and only the dispatcher enters a block there. */
bool debug_breaks_at(uintptr_t pc);
/* True if the instruction whose check has missed must be stepped over: it may access watched memory. */
bool debug_watches(struct thread *thread, uintptr_t address, size_t bytes);
/* The watchpoint that such an access hits, or NULL; the description of that point. */
const struct debug_watch *debug_find_watch(const struct thread *thread, uintptr_t address, size_t bytes,
                                           enum debug_access access);
struct debug_stop debug_hit_watch(const struct debug_watch *watch, struct debug_moment moment);
/* The engine has written memory of the application. */
void debug_wrote(struct thread *thread, uintptr_t address, size_t bytes);

/* A call goes on: if that is in another turn than it began in, there is a point before what it writes. True: the replay was stopped here. */
bool debug_goes_on(struct thread *thread);

/* Events of threads and processes. last: no other thread has a turn after this end. */
void debug_forks(struct thread *thread, const struct rthread *child, bool vfork);
void debug_executes(struct thread *thread);
void debug_ends(struct thread *thread, bool group, bool last, int status, int signo);
/* The thread, which was killed, has the last turn: the recording ends here, if the first process has ended. */
void debug_is_over(struct thread *thread);
/* The replay can't go on: the region has the reason why. outcome: enum outcome. */
void debug_fails(uint32_t outcome);

/* This process is a diversion: nothing of it is part of the replay (threads/diversion.c, loop/diversion_points.c). */
extern bool is_diversion;
/* True if the debugger wants this thread, which rests or has stopped, to make one. */
bool debug_is_to_divert(const struct thread *thread);

/* The thread is about to wait for its turn, and has got it. */
void debug_rests(struct thread *thread);
void debug_runs(struct thread *thread);
/* The thread, or all of its process, is not there any more once the turn has passed. */
void debug_leaves(struct thread *thread, bool process);

#endif

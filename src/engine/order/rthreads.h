/* rthreads.h: slots of the region, one for each R-thread that lives (rthreads.c). */
#ifndef REPRISE_ENGINE_RTHREADS_H
#define REPRISE_ENGINE_RTHREADS_H

#include "engine/region/rings.h"

/* A slot for a new R-thread, made by its parent, which has the baton if there is one; NULL: it is the first.
 * number: in a replay in parallel that of the R-thread; else it is the next one. The result is NULL when as many threads live as there are slots. */
struct rthread *rthread_make(uint32_t number, struct thread *parent);
/* Its thread was never created. */
void rthread_unmake(struct rthread *rthread);
/* Its stream is complete. */
void rthread_end(struct rthread *rthread);

/* The kernel's letter for the state of its thread. */
char rthread_state(const struct rthread *rthread);
/* True if the kernel still has its thread. */
bool rthread_is_alive(const struct rthread *rthread);
/* Its thread was killed. Ends the recording if that thread may have written unlogged output to standard output or error: a replay would show
 * the output of others without it. */
void rthread_check_output(const struct rthread *dead);
/* True if other threads of its process live. */
bool rthread_has_others(const struct rthread *rthread);

/* The lock of all slots, by which processes agree on turns (region_lock.c). */
void region_lock(void);
void region_unlock(void);
/* The owner is about to be stopped, and no longer uses the lock: another thread may take it once the process has stopped. */
void region_yield(void);

/* Frees the slots of threads that the kernel has no more; false if there are none. */
bool rthreads_end_gone(struct thread *by);

#endif

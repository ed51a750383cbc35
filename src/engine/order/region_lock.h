/* region_lock.h: the one lock of the region by which processes agree on turns (region_lock.c). */
#ifndef REPRISE_ENGINE_REGION_LOCK_H
#define REPRISE_ENGINE_REGION_LOCK_H

void region_lock(void);
void region_unlock(void);
/* The owner is about to be stopped, and no longer uses the lock: another thread may take it once the process has stopped. */
void region_yield(void);

#endif

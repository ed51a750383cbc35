/* patience.h: how long a waiting thread spins before it sleeps.
 *
 * A wake-up takes longer than many hand-overs, and threads that wait for each other in a chain all pay for it. So a waiter
 * spins, for as long as a thread may run at a stretch, unless there are more threads than processors: then the thread it waits for
 * might need this processor. The same may be true where other programs use the processors. So the waiter yields its processor now and then; if another
 * thread took it, the waiter sleeps. A waiter that spun in vain spins for half the time next, and only now and then for the full time. */
#ifndef REPRISE_ENGINE_PATIENCE_H
#define REPRISE_ENGINE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct patience {
  _Alignas(64) uint32_t most; /* looks that the next wait may take */
  uint32_t waits;
  uint32_t looks, limit; /* of this wait */
};

/*     patience_begin(own);
 *     while (!over)
 *       if (!patience_lasts(own, crowded)) sleep;
 *     patience_pays(own);   if it did not sleep */
void patience_begin(struct patience *own);
/* After a look in vain: pauses. False: it is time to sleep. crowded: true if there are more threads than processors, called
 * once a wait at most. */
bool patience_lasts(struct patience *own, bool (*crowded)(void));
void patience_pays(struct patience *own);

#endif

/* patience.h: how long a thread that waits looks before it sleeps.
 *
 * To wake who sleeps takes longer than many hand-overs, and threads that wait for each other in a chain all pay for it. So a waiter looks
 * again and again, for as long as a thread may run at a stretch, unless there are more threads than processors: then the one it waits for
 * might need this one. So it might where other programs use the processors. Therefore it offers its own now and then; when somebody took it, the
 * waiter sleeps. Who has looked in vain looks for half the time next, and only now and then as long as it may. */
#ifndef REPRISE_ENGINE_PATIENCE_H
#define REPRISE_ENGINE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct patience {
  _Alignas(64) uint32_t most; /* looks that the next wait is worth */
  uint32_t waits;
  uint32_t looks, limit; /* of this wait */
};

/*     patience_begin(own);
 *     while (!over)
 *       if (!patience_lasts(own, crowded)) sleep;
 *     patience_pays(own);   if it did not sleep */
void patience_begin(struct patience *own);
/* After a look in vain: pauses. False: it is time to sleep. crowded: whether there are more threads than processors, asked
 * once a wait at most. */
bool patience_lasts(struct patience *own, bool (*crowded)(void));
void patience_pays(struct patience *own);

#endif

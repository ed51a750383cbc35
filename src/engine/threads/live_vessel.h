/* live_vessel.h: vessels of a recorded process (live_vessel.c). The process goes on; from its vessel a replay can begin. */
#ifndef REPRISE_ENGINE_LIVE_VESSEL_H
#define REPRISE_ENGINE_LIVE_VESSEL_H

#include "engine/base/thread.h"

/* The functions of struct vessel_maker. */
long live_make_vessel(struct thread *thread);
_Noreturn void live_resumed(void);
/* In a vessel that was stored, and is restored: it has the memory of a process that was recorded. */
void live_becomes_replay(void);

#endif

/* diversion.h: a copy of this process that the debugger may change (diversion.c). */
#ifndef REPRISE_ENGINE_DIVERSION_H
#define REPRISE_ENGINE_DIVERSION_H

#include "engine/base/thread.h"

/* Makes one, as the debugger wants it. Returns in the replay only. */
void diversion_make(struct thread *thread);

#endif

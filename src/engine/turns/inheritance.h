/* inheritance.h: mutexes that inherit priority, while recording (inheritance.c). */
#ifndef REPRISE_ENGINE_INHERITANCE_H
#define REPRISE_ENGINE_INHERITANCE_H

#include "engine/base/thread.h"

/* Recording: futexes that inherit priority. The word is the thread's for writing, if it has to be. */
bool inheritance_concerns(const struct call *call);
long inheritance_call(struct thread *thread, const struct call *call, perform_call *perform);

#endif

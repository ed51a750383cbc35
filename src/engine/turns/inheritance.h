/* inheritance.h: mutexes that inherit priority, while recording (inheritance.c). */
#ifndef REPRISE_ENGINE_INHERITANCE_H
#define REPRISE_ENGINE_INHERITANCE_H

#include "engine/base/thread.h"

/* Recording: futexes that inherit priority. In parallel the thread must have the word for writing. */
bool inheritance_concerns(const struct call *call);
long inheritance_call(struct thread *thread, const struct call *call, perform_call *perform);

#endif

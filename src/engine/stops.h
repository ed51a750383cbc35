/* stops.h: terminal stops (SIGTSTP, SIGTTIN, SIGTTOU) of a recorded process (stops.c). */
#ifndef REPRISE_ENGINE_STOPS_H
#define REPRISE_ENGINE_STOPS_H

#include <linux/signal.h>

#include "engine/thread.h"

/* Recording: signals whose default action our handler takes. */
static inline bool stops_handled(int signo) {
  return recording() && (signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU);
}
/* In the kernel's handler: one has come, and the application has not asked for it. */
void stops_arrived(struct thread *thread, int signo);
/* Stops if one has come that could not be obeyed at once; without the baton, and without the region's lock. */
void stops_serve(struct thread *thread);

#endif

/* diversion_points.h: what a thread of a diversion does between instructions (diversion_points.c; threads/diversion.c says what a diversion is). */
#ifndef REPRISE_ENGINE_DIVERSION_POINTS_H
#define REPRISE_ENGINE_DIVERSION_POINTS_H

#include "engine/base/thread.h"

/* Before the instruction at arch_pc: stops here if there is a reason to. True: check for pending signals again. */
bool diversion_point(struct thread *thread);
/* A signal is queued: tells the debugger instead of the program. */
void diversion_signal(struct thread *thread);
/* The thread has trapped with a system call. */
void diversion_call(struct thread *thread);

#endif

/* debug_points.h: where a debugged thread looks whether it has to stop (debug_points.c). All of this is called only when config.debugged is set. */
#ifndef REPRISE_ENGINE_DEBUG_POINTS_H
#define REPRISE_ENGINE_DEBUG_POINTS_H

#include "engine/base/thread.h"

/* Before the instruction at arch_pc, at a safepoint: stops here if there is a reason to. True: look again at what is pending. */
bool debug_point(struct thread *thread);
/* A signal is about to be delivered, and has been; a system call begins, and ends. */
void debug_signal(struct thread *thread);
void debug_signalled(struct thread *thread);
void debug_call(struct thread *thread, bool begins);

#endif

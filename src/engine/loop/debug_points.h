/* debug_points.h: the points at which a debugged thread may stop (debug_points.c). All functions are called only when config.debugged is set. */
#ifndef REPRISE_ENGINE_DEBUG_POINTS_H
#define REPRISE_ENGINE_DEBUG_POINTS_H

#include "engine/base/thread.h"

/* Before the instruction at arch_pc, at a safepoint: stops here if there is a reason to. True: serve pending requests again. */
bool debug_point(struct thread *thread);
/* For diversions: takes over breakpoints that have changed; true if there is one at arch_pc. */
void debug_adopt_changes(void);
bool debug_is_at_break(const struct thread *thread);
/* A signal is about to be delivered, and has been; a system call begins, and ends. */
void debug_signal(struct thread *thread);
void debug_signalled(struct thread *thread);
void debug_call(struct thread *thread, bool begins);

#endif

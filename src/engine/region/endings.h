/* endings.h: how a sphere ends early: it can't go on, or its replay has diverged (endings.c). */
#ifndef REPRISE_ENGINE_ENDINGS_H
#define REPRISE_ENGINE_ENDINGS_H

#include "engine/region/rings.h"

/* True if the caller is the first thread that wants the sphere to end early, and so must store the reason (region.h). Later callers
 * wait until it is there, because the end of one thread is the end of its process. */
bool sphere_claim_end(void);
_Noreturn void sphere_end_early(enum outcome outcome);
/* Both, with one line that says why, or NULL. */
_Noreturn void sphere_fail(enum outcome outcome, const char *pattern, ...)
    __attribute__((format(printf, 2, 3)));

/* One line for the user; the sphere goes on. */
void sphere_warn(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

/* The log can be decoded, but makes no sense. */
_Noreturn void replay_senseless(const struct thread *thread, const char *why);
_Noreturn void replay_diverged(struct thread *thread, const char *pattern, ...)
    __attribute__((format(printf, 2, 3)));

#endif

/* dispatch.h: the loop between the code cache and the engine. */
#ifndef REPRISE_ENGINE_DISPATCH_H
#define REPRISE_ENGINE_DISPATCH_H

#include "engine/base/thread.h"

/* Runs the thread from its context for ever: serves pending requests, finds or makes the block for arch_pc, enters it. */
_Noreturn void dispatch_run(struct thread *thread);
/* First C function of a new thread, on its engine stack. */
_Noreturn void thread_begin(struct thread *thread);
/* As dispatch_run, after arch_uc_to_engine. */
_Noreturn void dispatch_after_fault(struct thread *thread);

#endif

/* kernel_call.h: the application's calls in the kernel (kernel_call.c). */
#ifndef REPRISE_ENGINE_KERNEL_CALL_H
#define REPRISE_ENGINE_KERNEL_CALL_H

#include "engine/base/thread.h"

/* arch_blocking_call, restarted when a signal that the application must not notice has interrupted it. */
long syscall_in_kernel(struct thread *thread, const struct call *call);
/* Hands a call to the kernel as the application made it; also for parts of the engine that only change its
 * arguments or look at its result. */
long syscall_pass_on(struct thread *thread, const struct call *call);

/* Before the kernel performs the call for the application: makes watched pages writable that it may write (kernel_writes.c).
 * Otherwise a transfer could end at such a page, or take its data and lose it. */
void codewatch_before_call(const struct call *call);
/* After the call: drops blocks made from code that it has overwritten despite its protection (/proc/self/mem). */
void codewatch_after_call(const struct call *call, long result);

#endif

/* syscalls.h: the application's system calls, sorted to whoever serves them (syscalls.c). */
#ifndef REPRISE_ENGINE_SYSCALLS_H
#define REPRISE_ENGINE_SYSCALLS_H

#include "engine/base/thread.h"

/* Besides CALL_INTERRUPTED, a result that no call returns: the context is already as it must be
 * (sigreturn). */
enum { CALL_DONE = -513 };

/* arch_blocking_call, begun anew when it ended for a signal that the application must not notice. */
long syscall_in_kernel(struct thread *thread, const struct call *call);
/* Performs a call of a thread that is recorded or replayed. */
long syscall_in_sphere(struct thread *thread, const struct call *call);
/* Performs the call that the thread has just trapped with and sets its result, or arranges for its
 * restart. */
void syscall_handle(struct thread *thread);
/* Hands a call to the kernel as the application made it; also for parts of the engine that only change its
 * arguments or look at its result. */
long syscall_pass_on(struct thread *thread, const struct call *call);

#endif

/* syscall_dispatch.h: hands each system call of the application to its owner (syscalls.c). */
#ifndef REPRISE_ENGINE_SYSCALL_DISPATCH_H
#define REPRISE_ENGINE_SYSCALL_DISPATCH_H

#include "engine/base/arch_host.h"

/* Performs the call that the thread has just trapped with and sets its result, or arranges for its
 * restart. */
void syscall_handle(struct thread *thread);

#endif

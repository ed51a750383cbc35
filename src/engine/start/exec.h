/* exec.h: starting another program in this process (exec.c). */
#ifndef REPRISE_ENGINE_EXEC_H
#define REPRISE_ENGINE_EXEC_H

#include "engine/base/thread.h"

/* execve and execveat. Returns to the caller only with an error. */
bool exec_call(struct thread *thread, const struct call *call, long *result);
/* For the first program of a sphere: opens config.program. If it is a script, starts the engine again for its
 * interpreter and does not return. Otherwise the open file, or -errno with *problem set. */
long exec_first(struct thread *thread, char **argv, char **envp, const char **problem);

#endif

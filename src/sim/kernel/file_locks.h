/* file_locks.h: advisory locks of files: those of fcntl belong to a process, those of flock to an open file. Only simulated processes see them. */
#ifndef REPRISE_SIM_FILE_LOCKS_H
#define REPRISE_SIM_FILE_LOCKS_H

#include "sim/kernel/files.h"

int64_t file_lock_call(struct task *task, struct open_file *file, uint64_t command,
                       uint64_t address); /* fcntl's */
/* The process closes a descriptor of the file, which takes its locks of the file away, whatever other descriptors it has. */
void file_locks_close(const struct process *process, const struct open_file *file);
/* The owner, a process or an open file, has no lock any more. */
void file_locks_release(struct kernel *kernel, const void *owner);
void file_locks_end(struct kernel *kernel);

#endif

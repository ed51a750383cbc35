/* written_memory.h: memory of a process that was written from outside, in the logs (written_memory.c): by the kernel for a call, or by another
 * process of the sphere. */
#ifndef REPRISE_ENGINE_WRITTEN_MEMORY_H
#define REPRISE_ENGINE_WRITTEN_MEMORY_H

#include "engine/region/rings.h"

/* The process whose memory the descriptor is, 0: none; and the process whose memory the call writes through a file. */
int32_t memory_owner(int fd);
int32_t memory_target(const struct call *call);
/* Recording: another process has written memory of this one; none of its threads runs meanwhile. */
void memory_note_written(int32_t pid, uintptr_t address, size_t bytes);
/* … in that process: the written bytes are logged before any of its threads goes on. */
bool memory_was_written(int32_t pid);
void memory_log_written(struct thread *thread);
void memory_forget_written(int32_t pid); /* that memory is gone */
/* Opens the process's own memory as a file, which can be read whatever its protection. */
int memory_open_own(void);

/* Replay. */
/* Applies a run of copy-ins; and of writes by other processes, each with its place in the order. */
void replay_copy_ins(struct thread *thread);
void replay_foreign(struct thread *thread);

#endif

/* verify.h: checks of the application's state, logged in a recording and compared in replay (verify.c).
 *
 * System calls are compared in any case (replayer.c). For a thread's computation between them, checks compare its registers
 * at the ends of chunks, and memory where the recording has a digest of it. */
#ifndef REPRISE_ENGINE_VERIFY_H
#define REPRISE_ENGINE_VERIFY_H

#include "engine/region/journal.h"

/* Record: a sphere begins. */
void verify_found(void);
/* Record, at a safepoint, with the baton in hand: logs a check. At the end of a process, when none of its threads runs any more and no other process
 * has its memory, the check includes memory. */
void verify_record(struct thread *thread, bool process_ends);
/* Record in parallel, at a safepoint: the same, for the end of an epoch. alone: all other threads of the process are stopped, and memory is looked at. */
void verify_record_epoch(struct thread *thread, uint32_t epoch, bool alone);
/* Replay, at a safepoint: if the log has a check at this position, takes it and compares. */
void verify_replay(struct thread *thread);

/* The memory part of a check. */
struct verify_memory {
  bool known; /* it says something */
  uint32_t sample;
  uint64_t position, digest;
};

/* As verify_replay, at a thread's end, in two steps: memory when no other thread of the process runs any more. */
struct verify_memory verify_replay_registers(struct thread *thread);
void verify_replay_memory(struct thread *thread, const struct verify_memory *expected);
/* Only looks. *digest: of memory as it is. */
bool verify_memory_differs(const struct verify_memory *expected, uint64_t *digest);

/* Visits each page that only this process can write and that the kernel has allocated, in ascending order; files: also those that are still a
 * file's. False if the process may not read its own /proc files: no descriptor is left, or it has changed its user. */
bool verify_visit_memory(void (*visit)(void *context, uintptr_t page), void *context, bool files);

/* Replay's comparison of the registers in a call that may wait, before the baton changes hands. */
void verify_call(struct thread *thread);

#endif

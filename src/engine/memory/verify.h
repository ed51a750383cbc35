/* verify.h: what the application's state was, logged in a recording and compared in replay (verify.c).
 *
 * System calls are compared in any case (replayer.c). What a thread computes between them shows in its registers
 * at the ends of chunks, and in memory, which is looked at where the recording says so. */
#ifndef REPRISE_ENGINE_VERIFY_H
#define REPRISE_ENGINE_VERIFY_H

#include "engine/region/journal.h"

/* Record: a sphere begins. */
void verify_found(void);
/* Record, at a safepoint, with the baton in hand: logs a check. The end of a process, when none of its threads runs any more and no other process
 * has its memory, is a reason to look at that. */
void verify_record(struct thread *thread, bool process_ends);
/* Replay, at a safepoint: if the log has a check at this position, takes it and compares. */
void verify_replay(struct thread *thread);
/* Whether the check at this position is still to come: a fault, which counts as no instruction, leads from here to where it was made, as to a
 * handler that can't be executed either. If the next instruction does not fault, the replay has diverged. */
bool verify_is_ahead(struct thread *thread);

/* What a check says of memory. */
struct verify_memory {
  bool known; /* it says something */
  uint32_t sample;
  uint64_t position, digest;
};

/* The same at a thread's end, in two steps: memory when no other thread of the process runs any more. */
struct verify_memory verify_replay_registers(struct thread *thread);
void verify_replay_memory(struct thread *thread, const struct verify_memory *expected);

/* Visits each page that the process alone can write and that the kernel has made, in ascending order; files: those that are still a
 * file's, too. False if the process may not look at itself: no descriptor is left, or it has changed its user. */
bool verify_visit_memory(void (*visit)(void *context, uintptr_t page), void *context, bool files);

/* Replay's comparison of the registers in a call that may wait, before the baton changes hands. */
void verify_call(struct thread *thread);

#endif

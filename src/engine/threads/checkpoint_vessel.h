/* checkpoint_vessel.h: copies of a replaying process that wait, and go on when they are told to (checkpoint_vessel.c), also after they were stored in
 * a recording (image_restore.c). */
#ifndef REPRISE_ENGINE_CHECKPOINT_VESSEL_H
#define REPRISE_ENGINE_CHECKPOINT_VESSEL_H

#include "engine/base/thread.h"

/* Replays and recordings with checkpoints: before the first thread rests. */
void vessel_init(void);
/* A copy of this process, with its one thread: 0 in the copy. The books there still list all threads. */
long vessel_copy_process(struct thread *thread);

/* In the copy, detached from the region: waits for the manager's messages at the socket, or at something else. Returns in runners only. */
void vessel_wait(struct thread *thread, void (*await)(struct thread *thread));
/* A thread of a runner is there. */
void vessel_arrive(struct thread *thread);

/* In a vessel: where its thread is before it waits for the first message. */
struct arch_mark;
extern struct arch_mark *vessel_mark;

/* In a new process with nothing but the engine: becomes a vessel as the manager's plan says (contract/image_plan.h). */
_Noreturn void image_restore(void);

#endif

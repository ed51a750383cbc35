/* journal.h: puts events into a thread's input log (journal.c). */
#ifndef REPRISE_ENGINE_JOURNAL_H
#define REPRISE_ENGINE_JOURNAL_H

#include "engine/region/rings.h"

/* Puts an event in the thread's log, at its position now. */
void record_event(struct thread *thread, struct input_event *event);
/* Bytes that came into the sphere's memory from outside. */
void record_copy_in(struct thread *thread, uintptr_t address, const void *bytes, size_t count);
/* … and from another process, before the thread's next step; RECORD_PIECE at most. */
void record_foreign(struct thread *thread, uintptr_t address, const void *bytes, size_t count);
/* Values that the thread has read since the last event (value_log.h). */
void record_values(struct thread *thread, const uint8_t *bytes, uint32_t count);
/* Publishes the thread's position, behind the values that it has read; later events are logged there. */
void record_position(struct thread *thread);
/* The birth of the parent's last child, by the parent, whose position is published, or by the child while the kernel holds the parent. */
void record_birth(struct rthread *parent, int32_t id);
/* … the call's own event; the bytes that the kernel has written to the application. */
void record_result(struct thread *thread, const struct call *call, long result, uint64_t digest, bool waited);
/* … of one that a filter has answered. */
void record_answer(struct thread *thread, const struct call *call, long result);
void record_memory(struct thread *thread, uintptr_t address, size_t bytes);
/* … both in one go. */
enum { SHORT_PIECES = 2, RECORD_PIECE = 16 << 10 };
struct short_piece {
  uintptr_t address;
  size_t bytes;
};
void record_short(struct thread *thread, struct input_event *event, const struct short_piece *pieces,
                  unsigned count);

/* The call as the log has it: arguments that it does not have are zero. */
void call_event(const struct thread *thread, const struct call *call, struct input_event *event);
/* The digest that is logged with the call: it includes the result if the output of the replay depends on it, because the program may never check it. */
uint64_t output_seal(const struct call *call, uint64_t digest, int64_t result);
/* Of the registers, as a call that may wait and a check log them. */
uint32_t registers_digest(const struct thread *thread);

#endif

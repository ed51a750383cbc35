/* rings.h: the engine's side of the region that it shares with the manager (rings.c). See contract/region.h. */
#ifndef REPRISE_ENGINE_RINGS_H
#define REPRISE_ENGINE_RINGS_H

#include "contract/region.h"
#include "engine/base/thread.h"

static struct region *const region = (struct region *)REGION_BASE;

/* Maps the region; once per process start. */
void region_attach(void);
/* Lets go of the region and of its rings, so that another can be attached. */
void region_detach(void);
/* Makes the region this process's own, as it is now, but for the part that a diversion shares with the debugger. */
void region_divert(void);
/* Attaches a copy of it, with the same rings: events that were decoded and not consumed point into them. */
void region_attach_again(void);
static inline uint32_t slot_of(const struct rthread *rthread) {
  return (uint32_t)(rthread - region->slots);
}

/* The letter of a thread's state in /proc, 'X' if there is no such thread. */
char task_state(int32_t tid);
bool task_is_dead(int32_t tid);
/* The kernel stops a traced thread for the engine's signals as for all others, and tells its tracer. If this thread traces that one, which is stopped for
 * such a signal: the signal goes on to it, and the tracer hears nothing of it. */
bool task_pass_kick(int32_t tid);
/* Waits until a thread that has to stop executes nothing any more: it leaves the kernel only to stop. */
void task_await_trap(int32_t tid);

/* A lock that processes share: its word has the owner's id. is_left: whether one with this word may be taken from its owner, or NULL. */
void region_take(_Atomic uint32_t *lock, bool (*is_left)(uint32_t word));
void region_release(_Atomic uint32_t *lock);
/* The two futex operations on words of the region. The wait ends after a while by itself. */
void region_wait(_Atomic uint32_t *word, uint32_t seen);
/* The same, for that many times as long at most. */
void region_wait_briefly(_Atomic uint32_t *word, uint32_t seen); /* … a millisecond at most */
void region_wait_longer(_Atomic uint32_t *word, uint32_t seen, uint32_t times);
void region_wake(_Atomic uint32_t *word, int waiters);
/* Yields the processor, in a loop that waits for another thread. */
void region_give_way(void);
/* Waits until the process ends: the thread has nothing more to do. */
_Noreturn void region_wait_for_death(void);
/* A check of all threads takes the longer the more there are, and every waiting thread would make it: so one does now and then, for all of them.
 * last: the time of the last check, in milliseconds. */
bool region_look_is_due(_Atomic uint64_t *last);
/* Tells the manager that there is work to do. */
void region_doorbell(void);
/* Asks the manager, as the holder of the baton; the answer, or -errno. With EIO it ends the sphere. */
int64_t region_ask(enum request_kind kind, int64_t value);
/* Replay: the file that the manager opens or makes for such a request, open in this process, or -errno. */
int region_ask_file(enum request_kind kind, int64_t value);

/* Room for so many bytes in a row, waited for; then how many of them were used. */
uint8_t *ring_room(struct ring *ring, size_t count);
void ring_produced(struct ring *ring, size_t count);
void ring_put(struct ring *ring, const void *bytes, size_t count);
/* The ring's content, contiguous. */
const uint8_t *ring_content(struct ring *ring, size_t *count);
/* Waits until there are more than count bytes; false when the stream ends there. */
bool ring_await(struct ring *ring, size_t count);
void ring_consume(struct ring *ring, size_t count);

#endif

/* open.h: blocks of memory that threads hand to and fro, recorded by what is read of them: which they are (open.c), and how they are
 * read and written (by_value.c).
 *
 * A block is **opened** by a thread that has it for writing, after so many requests for it. Everybody may then have it at the same time: for the
 * directory all of them only read it, so nobody has to give it up. Each access is a step of its own, under one lock, and logs what the
 * thread could not know (order/values.h). In replay such a step works on what the thread has seen.
 *
 * Edges lead from the opening to each thread's first access to the open block, as from any last writer to its readers, and from all of these to
 * who takes the stage. So in replay as in the recording, nobody uses the block as any other memory while others have it open.
 *
 * All blocks are closed at once, with the stage taken, wherever memory must be whole: what the engine or the kernel reads and writes for a call, forks, changes
 * of mappings, the end of the process. Their bytes are logged then, and put into memory by replay. A block that was closed for a call is not
 * opened any more. */
#ifndef REPRISE_ENGINE_OPEN_H
#define REPRISE_ENGINE_OPEN_H

#include "engine/region/rings.h"
#include "order/values.h"

enum { OPEN_BLOCKS = 8192, OPEN_VIEWS = 2 * OPEN_BLOCKS, OPEN_SETS = 4 * OPEN_BLOCKS };

/* What each thread has: in replay, too. */
struct open_thread {
  uint32_t epoch;             /* what follows is of this one */
  uint32_t views[OPEN_VIEWS]; /* block + 1, hashed: those that its log says are open for it */
  struct values_seen seen;
};

static inline bool values_on(void) {
  return __builtin_expect(config.values != VALUES_OFF, 0);
}

/* A program begins. */
void open_start(void);
/* A thread begins: it has seen nothing. */
void open_forget(struct thread *thread);
struct open_thread *open_of(const struct thread *thread);

/* -- Recording: which blocks are open. Blocks are known by their numbers, addresses by these ------------------------------------------- */

bool open_any(void);
bool open_is_open(uint32_t block);
bool open_reaches(uintptr_t address, size_t bytes);
/* Somebody had to be asked for the block, for writing. */
void open_note_request(uint32_t block);
/* It is not to be opened from now on, nor any of these blocks. */
void open_forbid(uintptr_t address, size_t bytes);
/* Opens what the thread has for writing of the accesses, if that was asked for often. */
void open_consider(struct thread *thread, const struct access *accesses, unsigned count);
/* The engine is about to use memory in a way that open memory can't be used in yet. */
void open_expect_closed(uintptr_t address, size_t bytes);
/* With the stage taken: nothing is open any more. */
void open_close_all(void);
/* Changes whenever all is closed. */
uint32_t open_epoch(void);
/* In replay: all was closed in the recording. */
void open_next_epoch(void);

/* -- Under the lock -------------------------------------------------------------------------------------------------------------------- */

void open_lock(void);
void open_unlock(void);
/* The lines that were used since all was closed; false: there are too many. */
bool open_note_line(uint64_t line);
/* Each of them. */
void open_each_line(void (*visit)(void *context, uint64_t line), void *context);
void open_forget_lines(void);

/* -- What the thread's log says ------------------------------------------------------------------------------------------------------------ */

bool open_is_viewed(struct thread *thread, uint32_t block);
void open_view(struct thread *thread, uint32_t block);
bool open_reaches_viewed(struct thread *thread, uintptr_t address, size_t bytes);
/* Replay: the inline check lets the thread at the memory around the miss, as far as it is not open for it; not at the block any more. */
void open_permit(struct thread *thread, const struct miss *miss);
void open_revoke(struct thread *thread, uint32_t block);

/* -- The accesses, and when all is closed (by_value.c) --------------------------------------------------------------------------------------- */

/* Around the step over the instruction at pc: what it reads of open memory is logged, or comes from the log. Between them
 * the thread waits for nobody. The second also after a fault; true: there was such memory, and replay has to look for its next stop. */
void by_value_begin(struct thread *thread, uintptr_t pc);
bool by_value_end(struct thread *thread);
/* Replay: whether the instruction, or what its check vouches for, is open for the thread: then it has to be stepped over. */
bool by_value_concerns(struct thread *thread, const struct miss *miss);

/* Replay, at a safepoint: what is open for the thread from here on. */
void by_value_replay_views(struct thread *thread);
/* Replay: the thread was killed before the instruction whose values it had logged. */
void by_value_drop(struct thread *thread);
/* Before a call of the application: closes what the kernel or the engine is going to read or write for it. */
void by_value_before_call(struct thread *thread, const struct call *call);
/* Before the engine itself writes there for the thread, at a position of its own. */
void by_value_before_write(struct thread *thread, uintptr_t address, size_t bytes);
/* With the stage taken, in replay behind the gate: all is closed. */
void by_value_close_here(struct thread *thread);
/* The same if the call changes memory that is open. */
void by_value_close_for(struct thread *thread, const struct call *call);

#endif

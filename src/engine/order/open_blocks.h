/* open_blocks.h: blocks of memory that threads hand to and fro, recorded by the values read from them: which blocks these are (open.c), and how they are
 * read and written (by_value.c).
 *
 * A block is **opened** by a thread that has it for writing, after so many requests for it. All threads may then have it at the same time: for the
 * directory all of them only read it, so no thread has to give it up. Each access is a step of its own, under one lock, and logs values that the
 * thread could not know (order/values.h). In replay such a step works on the values that the thread has seen.
 *
 * Edges lead from the opening to each thread's first access to the open block, as from any last writer to its readers, and from all of these to
 * the thread that takes the stage. So in replay as in the recording, no thread uses the block as ordinary memory while others have it open.
 *
 * All blocks are closed at once, with the stage taken, wherever memory must be whole: when the engine or the kernel reads or writes it for a call, at forks,
 * changes of mappings, the end of the process. Their bytes are logged then, and replay puts them into memory. A block that was closed for a call is not
 * opened any more. */
#ifndef REPRISE_ENGINE_OPEN_BLOCKS_H
#define REPRISE_ENGINE_OPEN_BLOCKS_H

#include "engine/region/rings.h"
#include "order/values.h"

enum { OPEN_BLOCKS = 8192, OPEN_VIEWS = 2 * OPEN_BLOCKS, OPEN_SETS = 4 * OPEN_BLOCKS };

/* The state of each thread, in replay too. */
struct open_thread {
  uint32_t epoch;             /* that the rest of this struct is of */
  uint32_t views[OPEN_VIEWS]; /* block + 1, hashed: the blocks that are open for it by its log */
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
/* A thread had to request the block, for writing. */
void open_note_request(uint32_t block);
/* These blocks must not be opened from now on. */
void open_forbid(uintptr_t address, size_t bytes);
/* Opens the accessed blocks that the thread has for writing and that were requested often. */
void open_consider(struct thread *thread, const struct access *accesses, unsigned count);
/* The engine is about to use memory in a way that open memory can't be used in yet. */
void open_expect_closed(uintptr_t address, size_t bytes);
/* With the stage taken: closes all blocks. */
void open_close_all(void);
/* Changes whenever all blocks are closed. */
uint32_t open_epoch(void);
/* In replay: the recording closed all blocks here. */
void open_next_epoch(void);

/* -- Under the lock -------------------------------------------------------------------------------------------------------------------- */

void open_lock(void);
void open_unlock(void);
/* Notes a line that was used since all blocks were closed; false: there are too many. */
bool open_note_line(uint64_t line);
/* Visits each of these lines. */
void open_each_line(void (*visit)(void *context, uint64_t line), void *context);
void open_forget_lines(void);

/* -- What the thread's log says ------------------------------------------------------------------------------------------------------------ */

bool open_is_viewed(struct thread *thread, uint32_t block);
void open_view(struct thread *thread, uint32_t block);
bool open_reaches_viewed(struct thread *thread, uintptr_t address, size_t bytes);
/* Replay: the inline check permits the memory around the miss, except blocks that are open for the thread; no longer permits the block. */
void open_permit(struct thread *thread, const struct miss *miss);
void open_revoke(struct thread *thread, uint32_t block);

/* -- The accesses, and when all is closed (by_value.c) --------------------------------------------------------------------------------------- */

/* Around the step over the instruction at pc: the values that it reads from open memory are logged, or come from the log. Between the two calls
 * the thread waits for no other. The second is called after a fault, too; true: there was such memory, and replay has to find its next stop. */
void by_value_begin(struct thread *thread, uintptr_t pc);
bool by_value_end(struct thread *thread);
/* Replay: true if memory of the instruction, or of accesses that its check covers, is open for the thread: it has to be stepped over. */
bool by_value_concerns(struct thread *thread, const struct miss *miss);

/* Replay, at a safepoint: reads from the log which blocks are open for the thread from here on. */
void by_value_replay_views(struct thread *thread);
/* Replay: the thread was killed before the instruction whose values it had logged. */
void by_value_drop(struct thread *thread);
/* Before a call of the application: closes memory that the kernel or the engine will read or write for it. */
void by_value_before_call(struct thread *thread, const struct call *call);
/* Before the engine itself writes there for the thread, at a position of its own. */
void by_value_before_write(struct thread *thread, uintptr_t address, size_t bytes);
/* With the stage taken, in replay behind the gate: closes all blocks. */
void by_value_close_here(struct thread *thread);
/* The same if the call changes memory that is open. */
void by_value_close_for(struct thread *thread, const struct call *call);

#endif

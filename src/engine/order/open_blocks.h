/* open_blocks.h: blocks of memory that threads hand to and fro, recorded by the values read from them: which blocks these are (open_blocks.c), and how they are
 * read and written (by_value.c).
 *
 * A block is **opened** by a thread that has it for writing, after so many requests for it. All threads may then have it at the same time: for the
 * directory all of them only read it, so no thread has to give it up. Accesses log values that the thread could not know (order/values.h), and
 * ask no other thread for anything. In replay they work on the values that the thread has seen, and do not touch memory.
 *
 * Edges lead from the opening to each thread's first access to the open block, as from any last writer to its readers, and from all of these to
 * the thread that takes the stage. So in replay as in the recording, no thread uses the block as ordinary memory while others have it open.
 *
 * Code is emitted for the accesses of an instruction that was found to reach open memory (cache_open, arch_opens). Most accesses stay in there; some call
 * by_value_access, still in the cache. What neither can do has to be done in closed memory: by_value_give_up.
 *
 * All blocks are closed at once, with the stage taken, wherever memory must be whole: when the engine or the kernel reads or writes it for a call, at forks,
 * changes of mappings, the end of the process. Their bytes are logged then, and replay puts them into memory. A block that was closed for a call is not
 * opened any more. */
#ifndef REPRISE_ENGINE_OPEN_BLOCKS_H
#define REPRISE_ENGINE_OPEN_BLOCKS_H

#include "engine/region/telling.h"
#include "engine/region/value_log.h"

enum { OPEN_BLOCKS = 8192, OPEN_VIEWS = 2 * OPEN_BLOCKS, OPEN_SETS = 4 * OPEN_BLOCKS };

/* The state of each thread, in replay too. */
struct open_thread {
  struct value_log log;
  struct telling telling;
  uint32_t epoch;             /* that the views, and what was seen, are of */
  uint32_t views[OPEN_VIEWS]; /* block + 1, hashed: the blocks that are open for it by its log */
  uintptr_t stored;           /* the store that has gone to the copy: where it belongs, … */
  unsigned stored_bytes;      /* … and its length */
  _Alignas(VALUES_LINE) uint8_t copy[VALUES_LINE];
  struct values_seen seen;
};

/* A program begins. */
void open_start(void);
/* A thread, or its program, begins: it has seen nothing. */
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
/* Opens the accessed blocks that the thread has for writing and that were requested often. True: one at least. */
bool open_consider(struct thread *thread, const struct access *accesses, unsigned count);
/* The engine is about to use memory in a way that open memory can't be used in yet. */
void open_expect_closed(uintptr_t address, size_t bytes);
/* With the stage taken: closes all blocks. */
void open_close_all(void);
/* Changes whenever all blocks are closed. */
uint32_t open_epoch(void);
/* In replay: the recording closed all blocks here. */
void open_next_epoch(void);

/* -- Lines --------------------------------------------------------------------------------------------------------------------- */

/* Notes a line that is used since all blocks were closed; false: there are too many. */
bool open_note_line(uint64_t line);
/* Visits each of these lines. */
void open_each_line(void (*visit)(void *context, uint64_t line), void *context);
void open_forget_lines(void);

/* -- What the thread's log says ------------------------------------------------------------------------------------------------------------ */

bool open_is_viewed(struct thread *thread, uint32_t block);
void open_view(struct thread *thread, uint32_t block);
/* Emitted code may use the block as open from now on. */
void open_show(struct thread *thread, uint32_t block);
/* Replay: the inline check permits the memory around the miss, except blocks that are open for the thread. */
void open_permit(struct thread *thread, const struct miss *miss);
/* Replay, behind a wait: others may have closed all blocks. */
void open_catch_up(struct thread *thread);

/* -- The accesses, and when all is closed (by_value.c; more of it in base/arch_host.h) ----------------------------------------------------------- */

/* Recording, with the permissions for the accesses taken: true if some of their memory is open, which is open for the thread from here on. */
bool by_value_join(struct thread *thread, const struct access *accesses, unsigned count);
/* True if memory that the instruction at pc accesses is open for the thread. */
bool by_value_concerns(struct thread *thread, uintptr_t pc);
/* Replay: true if some memory that the check covers is. */
bool by_value_covers(struct thread *thread, const struct miss *miss);
/* The check has missed although the access could be made by value: there is no room in the log, for which by_value_make_room provides; or … */
bool by_value_was_refused(struct thread *thread, const struct miss *miss);
bool by_value_make_room(struct thread *thread);
/* Recording: provides for room that updates may have used up. */
void by_value_safepoint(struct thread *thread);
/* … the instruction can't use open memory in this way: closes all blocks, and never opens again those of the instruction. */
void by_value_give_up(struct thread *thread, uintptr_t pc);
/* Before a step over the instruction at pc: false if permissions were lost for the sake of open memory. opens: the step needs code for that. */
bool by_value_prepare(struct thread *thread, uintptr_t pc, bool *opens);

/* Replay, at a safepoint: reads from the log which blocks are open for the thread from here on. */
void by_value_replay_views(struct thread *thread);
/* Before a call of the application: closes memory that the kernel or the engine will read or write for it. */
void by_value_before_call(struct thread *thread, const struct call *call);
/* Before the engine itself writes there for the thread, at a position of its own. */
void by_value_before_write(struct thread *thread, uintptr_t address, size_t bytes);
/* With the stage taken, in replay behind the gate: closes all blocks. */
void by_value_close_here(struct thread *thread);
/* The same if the call changes memory that is open. */
void by_value_close_for(struct thread *thread, const struct call *call);

#endif

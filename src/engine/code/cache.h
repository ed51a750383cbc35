/* cache.h: translated blocks and the table that finds them (cache.c).
 *
 * One cache serves all threads. Looking a block up takes no lock; everything that changes the cache holds cache_lock.
 * A block that is dropped is only marked: its entry is patched to lead back to the engine and its memory is kept until the
 * next flush, when no thread is inside the cache. */
#ifndef REPRISE_ENGINE_CACHE_H
#define REPRISE_ENGINE_CACHE_H

#include <stdatomic.h>

#include "engine/base/check_history.h"
#include "engine/base/thread.h"

enum exit_kind {
  EXIT_DIRECT,      /* to a fixed target; linked once the target is translated */
  EXIT_INDIRECT,    /* the target is in the context's pc; the exit's is the branch itself */
  EXIT_REFUSED,     /* the same, but there is no such target: raise the fault */
  EXIT_POLL,        /* at the block's entry, before its first instruction: something is pending */
  EXIT_HOT,         /* there too: the block has been entered often */
  EXIT_CALL,        /* a system call; target is the instruction behind it */
  EXIT_EMULATE,     /* an instruction the engine performs; target is the instruction behind it */
  EXIT_FETCH,       /* target can't be fetched: raise the fault */
  EXIT_UNSUPPORTED, /* the instruction at target is not supported: say so, raise SIGILL */
  EXIT_ACCESS,      /* the engine takes what the instruction at target needs and steps over it */
  EXIT_SYNC,        /* the engine performs the instruction at target, which synchronises threads */
  EXIT_CHECK,       /* permission missing for the access of the instruction; goes back into the block */
  EXIT_STALE,       /* the block's source bytes have changed */
  EXIT_SOURCE, /* at the block's entry: permission missing for its source bytes, a range of which is the exit's detail */
};

/* One way out of a block. Generated code names it by its offset in the arena. */
struct exit {
  struct block *block;
  uintptr_t target; /* application address */
  uintptr_t patch;  /* code address of the branch displacement to patch when linked; 0 if never linked */
  uint64_t detail;  /* what the architecture wants to remember */
  union {
    struct exit *next;    /* of EXIT_DIRECT: among its target's incoming */
    struct block *behind; /* of EXIT_CALL and EXIT_SYNC: the block behind the instruction, if it is known */
    struct check_history history; /* of EXIT_CHECK */
  };
  uint16_t kind;         /* enum exit_kind */
  uint16_t instructions; /* of the block, executed when this exit is taken */
  int8_t
      correction; /* to the position, due when the exit is taken; 0 also when there is only one way to do it */
  uint8_t borrowed; /* a register to be given back then, in the architecture's encoding; 0: none */
  bool listed;      /* among its target's incoming */
};

/* The start of an instruction's code, and the registers that generated code has borrowed there: for precise faults. */
struct insn_map {
  uint16_t code : 15; /* offset from the block's code */
  uint16_t far : 1;   /* it belongs to code far from the block's pc */
  uint16_t borrowed;  /* architecture's encoding of which registers are in which spill slots */
  int32_t pc;         /* application address minus the block's pc, or minus its far_pc: insn_pc */
};

/* A stretch of application bytes that the block was made from. */
struct source_range {
  uintptr_t start, end;
};
/* As the detail of EXIT_SOURCE. */
static inline uint64_t source_detail(const struct source_range *range) {
  return range->start | (uint64_t)(range->end - range->start) << 48;
}
static inline struct source_range source_of_detail(uint64_t detail) {
  uintptr_t start = detail & ((1UL << 48) - 1);
  return (struct source_range){start, start + (detail >> 48)};
}

struct block {
  uintptr_t pc;
  _Atomic(struct block *) hash_next; /* beside what a search looks at */
  uintptr_t code;                    /* entry */
  uint32_t code_size;                /* bytes from code to the end of its stubs */
  uint32_t body_size;                /* … and to their beginning; 0: they are not told apart */
  uint16_t instructions;             /* on the main path: the entry adds them to the position */
  uint16_t map_count;
  bool dead;
  uint16_t step; /* not 0: of so many instructions at most, entered by the dispatcher only and never linked */
  bool probe;    /* likewise, up to the first branch */
  bool hot;      /* follows a path (paths.h) … */
  bool loop;     /* … that ends where it starts */
  bool self_checking; /* compares its source bytes at entry: the page is written too often to be watched */
  bool contended;     /* takes its source bytes at entry: code_is_contended */
  bool opens;         /* its first instruction has code for open memory: cache_open */
  bool flags_unused;  /* the application's flags are dead at entry */
  uintptr_t killed;   /* code address the entry is patched to jump to when the block is dropped */
  uintptr_t uncount;  /* likewise for entries behind the counting; 0: there are none */
  uint8_t count_word; /* which word of the position it counts in */
  uintptr_t entries[ENTRY_KINDS]; /* code addresses of the checking entries, 0 where not made yet */
  struct exit *incoming;          /* those that are linked to it, while it may be replaced */
  struct insn_map *map;
  uintptr_t far_pc;
  _Atomic int32_t *heat; /* how many more entries until EXIT_HOT … */
  uint32_t heat_due;     /* … and by when, in ticks, for the block to be hot */
  uint8_t paths_noted, paths_left;
  struct block *all_next;
};

static inline uintptr_t insn_pc(const struct block *block, const struct insn_map *insn) {
  return (insn->far ? block->far_pc : block->pc) + (uintptr_t)(intptr_t)insn->pc;
}

/* The block is hot after so many more entries, if they come at a rate at which another translation pays. Without the rate a server's
 * memory would grow for hours: in the end every block was entered often enough. */
static inline void block_warm_up(struct block *block, int32_t entries) {
  enum { TICKS_AN_ENTRY = 128 }; /* 4 milliseconds */
  block->heat_due = (uint32_t)arch_ticks() + (uint32_t)entries * TICKS_AN_ENTRY;
  atomic_store_explicit(block->heat, entries, memory_order_relaxed);
}
static inline bool block_is_hot(const struct block *block) {
  return (int32_t)((uint32_t)arch_ticks() - block->heat_due) <= 0;
}

/* Counts the entries of a new block until it is hot. */
void cache_heat(struct block *block);

extern struct lock cache_lock;

void cache_init(void);
/* The live block for pc, or NULL; the one for the first instructions from there. No lock needed; the caller must be in the
 * cache (see cache_enter). */
struct block *cache_lookup(uintptr_t pc);
struct block *cache_lookup_step(uintptr_t pc, unsigned instructions);
struct block *cache_lookup_probe(uintptr_t pc);
/* Replaces the block for the path's head by one that follows the path. Never while in the cache. */
void cache_translate_path(struct path *path);
/* The path of the block for pc was not noted to its end: plans another attempt. False: there were enough attempts. */
bool cache_note_again(uintptr_t pc);
/* Makes the block for pc, with the entry asked for, unless it is there. Never while in the cache. */
void cache_translate(uintptr_t pc, enum entry_kind entry);
enum { CACHE_STEP_MAX = 64 };
void cache_translate_step(uintptr_t pc, unsigned instructions);
/* The number of times in a while that a check may fall short before its block is dropped. */
#if defined(REPRISE_STRESS_TINY_CACHE) || defined(REPRISE_STRESS_FLUSH)
enum { SHORT_OFTEN = 3 };
#else
enum { SHORT_OFTEN = 8192 };
#endif
/* A permission check of the block, for the instruction at pc, covered more memory than the thread may access, and the block was left. If that
 * happens often the block is dropped, and in its successor the check covers the instruction only. With stack (and pc the block's): the
 * same for the checks of its stack accesses. */
void cache_fell_short(uintptr_t block_pc, uintptr_t pc, bool stack);
bool cache_is_narrow(uintptr_t pc, bool stack);
/* From now on the code of the instruction at pc can access open memory (order/open_blocks.h); the block is dropped. */
void cache_open(uintptr_t block_pc, uintptr_t pc);
bool cache_is_opened(uintptr_t pc);
/* Drops the blocks for pc; the given one, under cache_lock. */
void cache_drop(uintptr_t pc);
void cache_drop_block(struct block *block);
/* The block whose code holds a cache address, or NULL; safe in handlers. */
struct block *cache_block_at(uintptr_t code);

/* The instruction of the application that a cache address belongs to. */
struct cache_insn {
  struct block *block; /* NULL: it is another process's */
  unsigned number;     /* in the block */
  uintptr_t pc;
  uint16_t borrowed; /* see insn_map */
};
/* False: it belongs to none; safe in handlers. */
bool cache_insn_at(uintptr_t code, struct cache_insn *found);
/* The same in the cache of another process that runs under this very engine and is stopped. */
typedef bool cache_read(int32_t tid, uintptr_t from, void *to, size_t bytes);
bool cache_insn_of_other(cache_read *read, int32_t tid, uintptr_t code, struct cache_insn *found);

/* A thread announces that it goes into the cache (false: a flush is under way; try again) and that it has left it. */
bool cache_enter(struct thread *thread);
/* All others leave the cache, and stay out until they are let in. */
void cache_call_out(void);
void cache_let_in(void);
/* Throws all blocks away: instructions are to be translated in another way from now on. */
void cache_empty(void);
/* The number of times that the cache was emptied, under cache_lock; a thread that has noticed has the same number. */
uint32_t cache_epoch(void);
void cache_leave(struct thread *thread);

/* For the architecture's translator, under cache_lock: room for code and the registration of a finished block. */
enum { CACHE_BLOCK_MAX = 24576 };
uint8_t *cache_reserve(size_t bytes); /* NULL when the cache is full */
void cache_commit(uint8_t *end);
void cache_register(struct block *block);
bool cache_contains(uintptr_t address);

void cache_before_fork(void);
void cache_after_fork(bool child);
/* The memory of the engine was stored and put into another process, without the cache: maps it, empty. */
void cache_begin_again(void);

#endif

/* superblock.h (x86-64): a stretch of application code as the translator sees it before it emits anything. */
#ifndef REPRISE_X64_SUPERBLOCK_H
#define REPRISE_X64_SUPERBLOCK_H

#include "engine/cache.h"
#include "engine/code.h"
#include "engine/x64/decode.h"

enum { SUPERBLOCK_MAX = 64, SIDE_EXITS_MAX = 8, SOURCE_RANGES = 12, FRAMES_MAX = 4, CALLS_MAX = 6 };
/* With every access checked, blocks are shorter: the code of one must not get too long. */
enum { CHECKED_SUPERBLOCK_MAX = 32, CHECKED_ACCESSES = 3 };

struct item {
  struct x64_insn insn;
  uintptr_t pc;
  uint8_t bytes[X64_INSN_MAX];
  bool inlined; /* a direct jump or call whose target is the next item, or a return that goes there */
  bool taken;   /* a conditional branch whose target is the next item: its fall-through is the side exit */
  int32_t return_at; /* at this distance from rsp the return address ahead is found … */
  uintptr_t
      returns_to; /* … which must be this one, or the superblock is left before the item; 0: nothing to test */
};

/* A call that the main path has followed, and how the superblock was before (inlining.c). */
struct followed_call {
  uintptr_t returns_to;
  uintptr_t range_end;
  unsigned count, call_count, side_exits, range_count;
};

/* One entry, a main path through fall-throughs and direct jumps, side exits at its conditional branches. */
struct superblock {
  unsigned count;
  unsigned limit; /* at most so many items; 1 while the application single-steps */
  unsigned side_exits;
  bool self_checking; /* its page changes too often to be watched */
  bool open;          /* the last item falls through to next_pc (it is not a branch) */
  bool for_engine;    /* the engine has to step over the one instruction */
  bool unfetchable;   /* the first instruction can't be fetched; fault_address says where */
  uintptr_t next_pc;  /* where the main path goes on when open */
  uintptr_t fault_address;
  uintptr_t page; /* the page last read from, and how it is watched */
  enum watch watch;
  unsigned range_count;
  struct source_range ranges[SOURCE_RANGES];
  unsigned call_count;  /* calls on the main path that were followed */
  unsigned frame_count; /* those of them that have not returned */
  struct followed_call frames[FRAMES_MAX];
  struct item items[SUPERBLOCK_MAX];
};

/* Reads at most limit instructions. */
void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit);
/* Whether the status flags at item i are overwritten before anything can read them. */
bool superblock_flags_dead(const struct superblock *sb, unsigned i);
/* The same for code outside the superblock; its bytes become part of the superblock's source. */
bool superblock_flags_dead_at(struct superblock *sb, uintptr_t pc);
/* inlining.c: follows a direct call, or the return from one that was followed; false when it can't be. */
bool inlining_begin(struct superblock *sb, struct item *call, uintptr_t target);
bool inlining_return(struct superblock *sb, struct item *ret);
/* Whether the function that is being followed is short so far. */
bool inlining_goes_on(const struct superblock *sb);
/* The main path ends here: takes back what lies beyond a call that has not returned. */
void inlining_end(struct superblock *sb);

/* How many items from i on leave register reg alone. */
unsigned superblock_next_use(const struct superblock *sb, unsigned i, unsigned reg);

#endif

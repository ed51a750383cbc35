/* superblock.h (AArch64): a stretch of application code as the translator sees it before it emits anything. */
#ifndef REPRISE_A64_SUPERBLOCK_H
#define REPRISE_A64_SUPERBLOCK_H

#include "engine/a64/decode.h"
#include "engine/cache.h"
#include "engine/code.h"

enum { SUPERBLOCK_MAX = 112, SIDE_EXITS_MAX = 16, SOURCE_RANGES = 8, INSN_BYTES = 4 };

/* How long a block becomes, but for a loop that is unrolled. With every access checked, blocks stay shorter, because their code is
 * longer. */
enum { ORDINARY_SUPERBLOCK_MAX = 64, CHECKED_SUPERBLOCK_MAX = 40 };

struct item {
  struct a64_insn insn;
  uintptr_t pc;
  bool inlined; /* a direct branch, call or return whose target is the next item */
  bool taken;   /* a conditional branch whose target is the next item: its fall-through is the side exit */
};

/* One entry, a main path through fall-throughs and direct branches, side exits at its conditional branches. */
struct superblock {
  unsigned count;
  unsigned side_exits;
  bool self_checking; /* its page can change without the program's saying so here */
  bool contended;     /* code_is_contended */
  bool open;          /* the last item falls through to next_pc (it is not a branch) */
  bool for_engine;    /* its one instruction is stepped over when what it needs was taken (checks.c) */
  bool unfetchable;   /* the first instruction can't be fetched */
  uintptr_t next_pc;  /* where the main path goes on when open */
  uintptr_t
      back; /* where a return in it goes to, as long as it is in a function that it has called; else 0 */
  unsigned limit, unrolled_limit; /* how many instructions it may have */
  uintptr_t page;                 /* the page last read from, and how it is watched */
  enum watch watch;
  bool page_contended;
  unsigned range_count;
  struct source_range ranges[SOURCE_RANGES];
  struct item items[SUPERBLOCK_MAX];
};

/* Reads at most limit instructions; of a loop more than one iteration as long as there are no more than the second limit. */
void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit, unsigned unrolled_limit);

#endif

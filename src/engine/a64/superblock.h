/* superblock.h (AArch64): a stretch of application code as the translator sees it before it emits anything. */
#ifndef REPRISE_A64_SUPERBLOCK_H
#define REPRISE_A64_SUPERBLOCK_H

#include "engine/a64/decode.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"

/* The first two for blocks that follow a path, the next two for others. */
enum {
  SUPERBLOCK_MAX = 100,
  SIDE_EXITS_MAX = 24,
  PLAIN_MAX = 64,
  PLAIN_SIDE_EXITS_MAX = 16,
  SOURCE_RANGES = 24,
  CALLS_MAX = 12,
  INSN_BYTES = 4,
  WINDOW_WORDS = 16
};
/* With every access checked, blocks that follow none are shorter, because their code is longer. */
enum { CHECKED_PLAIN_MAX = 40 };

struct item {
  struct a64_insn insn;
  uintptr_t pc;
  bool inlined; /* a direct branch, call or return whose target is the next item */
  bool taken;   /* a conditional branch whose target is the next item: its fall-through is the side exit */
  uintptr_t
      expected; /* an indirect branch or a return that must lead here, to the next item, or the superblock is left
                         before it; 0: nothing to test */
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
  unsigned limit;     /* how many instructions it may have */
  uintptr_t page;     /* the page last read from, and how it is watched */
  enum watch watch;
  bool page_contended;
  bool tells_time;  /* an instruction that was looked at does: not every mode treats it alike */
  uintptr_t window; /* words of that page were copied from here on */
  uint32_t words[WINDOW_WORDS];
  unsigned range_count;
  struct source_range ranges[SOURCE_RANGES];
  uintptr_t far_pc;     /* of a second region that it has code from, or 0 */
  unsigned call_count;  /* calls, returns and indirect jumps on a path that were followed */
  unsigned frame_count; /* calls that have not returned, and where they will */
  struct {
    uintptr_t returns_to;
    unsigned first; /* item of the function called */
  } frames[CALLS_MAX];
  struct item items[SUPERBLOCK_MAX];
};

/* Reads at most limit instructions. */
void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit);
/* Reads up to the first branch. */
void superblock_read_step(struct superblock *sb, uintptr_t pc, unsigned limit);
/* inlining.c: reads code along a path. */
void superblock_read_path(struct superblock *sb, const struct path *path);

/* For inlining.c, in superblock.c: starts a superblock; adds the item at next_pc (false when it can't); goes on behind an instruction
 * that is no branch (false when the superblock ends there). */
void superblock_begin(struct superblock *sb, uintptr_t pc, unsigned limit);
bool superblock_add(struct superblock *sb);
bool superblock_pass(struct superblock *sb, const struct item *item);
/* True if the instruction is a return to the address in x30. */
bool returns_by_link(const struct a64_insn *insn);
static inline bool superblock_near(uintptr_t from, uintptr_t pc) {
  return (intptr_t)(pc - from) == (int32_t)(pc - from);
}

#endif

/* superblock.h (x86-64): a stretch of application code as the translator sees it before it emits anything. */
#ifndef REPRISE_X64_SUPERBLOCK_H
#define REPRISE_X64_SUPERBLOCK_H

#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/x64/decode.h"

/* The first two for blocks that follow a path, the next two for others. */
enum {
  SUPERBLOCK_MAX = 100,
  SIDE_EXITS_MAX = 20,
  PLAIN_MAX = 64,
  PLAIN_SIDE_EXITS_MAX = 8,
  SOURCE_RANGES = 24,
  CALLS_MAX = 12,
};
/* With every access checked, blocks are shorter: the code of one must not get too long. */
enum { CHECKED_SUPERBLOCK_MAX = 32, CHECKED_PATH_MAX = 99 };
/* Replay steps over more than one instruction without asking what they access: some of it may be open (order/open_blocks.h). */
static inline bool checks_steps(unsigned limit) {
  return limit > 1 && values_on() && replaying();
}

struct item {
  struct x64_insn insn;
  uintptr_t pc;
  uint8_t bytes[X64_INSN_MAX];
  bool inlined; /* a direct jump or call whose target is the next item, or a return that goes there */
  bool taken;   /* a conditional branch whose target is the next item: its fall-through is the side exit */
  uintptr_t guessed; /* an indirect branch that is expected to lead here, to the next item; 0: none */
  int32_t return_at; /* at this distance from rsp the return address ahead is found … */
  uintptr_t
      returns_to; /* … which must be this one, or the superblock is left before the item; 0: nothing to test */
};

/* One entry, a main path through fall-throughs and direct jumps, side exits at its conditional branches. */
struct superblock {
  unsigned count;
  unsigned limit; /* at most so many items; 1 while the application single-steps */
  unsigned side_exits;
  unsigned bytes;     /* of source */
  bool self_checking; /* its page changes too often to be watched */
  bool contended;     /* code_is_contended */
  bool open;          /* the last item falls through to next_pc (it is not a branch) */
  bool for_engine;    /* the engine has to step over the one instruction */
  bool unfetchable;   /* the first instruction can't be fetched; fault_address says where */
  uintptr_t next_pc;  /* where the main path goes on when open */
  uintptr_t fault_address;
  uintptr_t page; /* the page last read from, and how it is watched */
  enum watch watch;
  bool page_contended;
  bool tells_time; /* an instruction that was looked at does: not every mode treats it alike */
  bool repeats;    /* … or is repeated */
  unsigned range_count;
  struct source_range ranges[SOURCE_RANGES];
  uintptr_t far_pc;     /* of a second region that it has code from, or 0 */
  bool up_to_branch;    /* it ends at its first branch */
  bool looks;           /* it is only looked at: breaks of a debugger do not end it */
  unsigned call_count;  /* calls and indirect jumps on the main path that were followed */
  unsigned frame_count; /* calls that have not returned, and where they will */
  struct {
    uintptr_t returns_to;
    unsigned first; /* item of the function called */
  } frames[CALLS_MAX];
  struct item items[SUPERBLOCK_MAX];
};

/* Reads at most limit instructions; perhaps no further than the first branch. */
void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit, bool up_to_branch);
static inline bool superblock_near(uintptr_t from, uintptr_t pc) {
  return (intptr_t)(pc - from) == (int32_t)(pc - from);
}
/* True if the status flags at item i are overwritten before anything can read them. */
bool superblock_flags_dead(const struct superblock *sb, unsigned i);
/* The same for code outside the superblock, and for the entry, where the search may end outside; the bytes searched become part of
 * the superblock's source. For a hot block the search goes further. */
bool superblock_flags_dead_at(struct superblock *sb, uintptr_t pc, bool hot);
bool superblock_flags_dead_at_entry(struct superblock *sb);
/* True if code that reaches the start of this plain superblock may have lost the flags. */
bool superblock_may_lose_flags(struct superblock *sb);
/* inlining.c: reads code along a path. */
void superblock_read_path(struct superblock *sb, const struct path *path);

/* For inlining.c, in superblock.c: starts a superblock; adds the item at next_pc (false when it can't); goes on behind an instruction
 * that is no branch (false when the superblock ends there). */
void superblock_begin(struct superblock *sb, uintptr_t pc, unsigned limit);
bool superblock_add(struct superblock *sb);
bool superblock_pass(struct superblock *sb, const struct item *item);

/* The number of items from i on that do not use register reg. */
unsigned superblock_next_use(const struct superblock *sb, unsigned i, unsigned reg);

#endif

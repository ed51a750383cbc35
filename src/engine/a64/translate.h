/* translate.h (AArch64): the state of one translation, shared by the files that emit parts of a block. */
#ifndef REPRISE_A64_TRANSLATE_H
#define REPRISE_A64_TRANSLATE_H

#include "engine/a64/emit.h"
#include "engine/a64/superblock.h"

/* A stress engine goes through the dispatcher for every branch. */
#if defined(REPRISE_STRESS_SLOW_PATHS)
enum { SLOW_PATHS = 1 };
#else
enum { SLOW_PATHS = 0 };
#endif

/* Code that is emitted behind the block's main path. */
struct stub {
  uint32_t *branch; /* to be directed to the stub */
  struct exit *exit;
  unsigned correction; /* instructions counted at the entry that are not executed */
};

/* A permission check, until its stub is emitted behind the main path. */
struct check {
  uint32_t *branch, *back;
  uint32_t *beyond; /* a second branch, by the test of the access's last byte; NULL: there is none */
  uint32_t *behind; /* the code of the next instruction, where an access to open memory goes on */
  struct exit *exit;
  struct a64_mem mem; /* what is tested: the item's operand, or from so many bytes below it on */
  uint8_t item, below;
  uint8_t window; /* bytes from the address tested on that rely on it */
  bool narrow;    /* it is for its own instruction: cache_fell_short */
  bool opens;     /* … which can access open memory */
};

/* An address whose permission is known for the rest of the superblock, as long as its registers keep their values. */
struct checked {
  uint8_t base, index, extend, shift;
  bool write;    /* for writing too */
  uint8_t check; /* by which of the checks */
  int64_t disp;
};

/* For each call that is followed: its target and its return address, either of which may be a guess, and the link. */
enum { EXITS_PER_CALL = 2, CONSTANTS_PER_CALL = 3 };
enum {
  STUBS_MAX = SIDE_EXITS_MAX + EXITS_PER_CALL * CALLS_MAX + SUPERBLOCK_MAX + 8,
  CONSTANTS_MAX = CONSTANTS_PER_CALL * CALLS_MAX + 2,
  CHECKED_MAX = 16,
  CHECKS_MAX = SUPERBLOCK_MAX
};

enum { SCRATCHES = 2, NOTHING = 0 };

struct translation {
  struct code code;
  struct superblock sb;
  struct block *block;
  struct exit *next_exit;
  uint16_t borrowed; /* spill slots in use for the instruction being emitted */
  uint8_t
      held[SCRATCHES]; /* the application's registers whose values the scratch registers hold, or NOTHING … */
  uint8_t latest;      /* … and which of them was used last */
  struct stub stubs[STUBS_MAX];
  unsigned stub_count;
  struct check checks[CHECKS_MAX];
  unsigned check_count;
  bool unchecked; /* what it needs was taken before */
  bool cold;      /* it counts how often it is entered */
  struct {
    uint32_t *load;
    uint64_t value;
  } constants[CONSTANTS_MAX]; /* emitted behind the block */
  unsigned constant_count;
  struct checked checked[CHECKED_MAX];
  unsigned checked_count;
  struct insn_map map[SUPERBLOCK_MAX + 1];
};

/* The ways back to the engine that all blocks share: they lie at the beginning of the cache, within the reach of a direct branch, and the
 * processor soon predicts where each leads (arch_emit_shared in links.c). */
enum { SHARED_EXIT = 0, SHARED_INDIRECT = 8, SHARED_BYTES = 16 };

struct exit *new_exit(struct translation *t, enum exit_kind kind, uintptr_t target);
struct stub *new_stub(struct translation *t, uint32_t *branch, struct exit *exit);
void emit_exit_tail(struct code *c, const struct exit *exit);
/* Four instructions: x15 is how often the block is entered before it is hot, after one more entry. */
void emit_count_entries(struct code *c, const struct block *block);
/* ldr reg, constant: it lies behind the block. */
void emit_constant(struct translation *t, unsigned reg, uint64_t value);

/* ends.c */
void end_jump(struct translation *t, uintptr_t target);
void end_exit(struct translation *t, enum exit_kind kind, uintptr_t target, uint64_t detail);
/* A conditional branch in the middle of the block. */
void side_exit(struct translation *t, unsigned i);
/* A branch whose target is the next item. */
void emit_followed(struct translation *t, unsigned i);
/* The last instruction. */
void emit_end(struct translation *t, const struct item *item);

/* rename.c: registers that an instruction may use in place of those that the engine has taken. */

/* The register of spill slot i; the slots' registers come in pairs of an even one and its successor as far as casp needs them. */
unsigned spill_register(unsigned slot);
/* A register outside *used, saved if it is the application's; added to *used. */
unsigned borrow(struct translation *t, uint32_t *used);
/* All borrowed registers get their values back. */
void give_back(struct translation *t);
/* The same in code to which no fault leads. */
void give_back_quietly(struct translation *t);
/* A register that holds the value of the application's register: itself, or a borrowed one that it is loaded into. */
unsigned readable(struct translation *t, unsigned reg, uint32_t *used);
/* Reads an application's register, taken or not, into a scratch register. */
void emit_read(struct code *c, unsigned to, unsigned reg);
void emit_write(struct code *c, unsigned reg, unsigned from);
/* A scratch register with the value of a taken register, which it keeps holding. */
unsigned hold(struct translation *t, unsigned reg);
/* The scratch registers hold no application values from here on. */
void forget_held(struct translation *t);
/* Emits the instruction with taken registers replaced by others. */
void emit_renamed(struct translation *t, const struct a64_insn *insn);

/* exclusive.c */
void emit_load_exclusive(struct translation *t, const struct a64_insn *insn);
void emit_store_exclusive(struct translation *t, const struct a64_insn *insn);
void emit_clear_exclusive(struct code *c);

/* checks.c */
bool wants_engine(const struct a64_insn *insn);
/* True if the engine performs it, to order it with those of other threads (atomics.c). */
bool synchronises(const struct a64_insn *insn);
bool is_watched(const struct a64_insn *insn, uintptr_t pc);
/* Returns the check if the instruction can access open memory; its place behind is to be filled in. */
struct check *emit_check(struct translation *t, unsigned i);
/* x15 or the base register has the operand's address; returns which. */
unsigned emit_operand_address(struct code *c, const struct item *item, const struct a64_mem *mem);
bool has_simple_operand(const struct a64_mem *mem);
void emit_check_stub(struct translation *t, const struct check *check);
/* Behind the safepoint of a block whose source other threads may write: none of them writes it until the next safepoint. */
void emit_source_tests(struct translation *t);
/* After an instruction: forgets checked addresses whose registers it changes. */
void forget_checked(struct translation *t, const struct a64_insn *insn);

/* open_accesses.c */
/* True if emit_open_access can do so with the instruction. */
bool can_open(const struct a64_insn *insn);
/* The access to open memory of the check's instruction, and the way behind it; if it can't be made, the check's exit comes next. */
void emit_open_access(struct translation *t, const struct check *check);

/* links.c */
/* Returns the address of the entry; the code behind the check comes next. */
uintptr_t emit_entry_check(struct code *c, uintptr_t pc);
/* Redirects every way into the old block to the new one. Under cache_lock. */
void replace_block(struct block *old, struct block *new);

/* context.c: the last instruction counted was not executed after all. */
void uncount_one(struct thread *thread);

#endif

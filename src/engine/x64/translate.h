/* translate.h (x86-64): the state of one translation, shared by the files that emit parts of a block. */
#ifndef REPRISE_X64_TRANSLATE_H
#define REPRISE_X64_TRANSLATE_H

#include "engine/x64/emit.h"
#include "engine/x64/superblock.h"

/* Spill slots. The first two hold rax and rcx on the way to an indirect target; the third a register borrowed over several
 * instructions, the fourth one borrowed inside a single instruction. */
enum { SLOT_RAX, SLOT_RCX, SLOT_LONG, SLOT_SHORT };
#define SPILL(slot) (CTX_SPILL + 8 * (slot))

/* insn_map.borrowed: for each slot, five bits: the register in it plus one, or 0. */
#define BORROWED(slot, reg) ((uint16_t)(((reg) + 1) << 5 * (slot)))
enum { BORROWED_SLOTS = 3, BORROWED_MASK = 31 };

/* Displacements of the thread's tables for indirect branches and for returns from its slot; each has one code address per
 * low 16 bits of a target. */
#define TARGET_TABLE 0x10000
#define RETURN_TABLE 0x90000
enum { TARGET_COUNT = 1 << 16 };

/* Code that is emitted behind the block's main path. */
struct stub {
  uint8_t *branch; /* displacement to be filled in with the stub's address */
  struct exit *exit;
  int32_t correction; /* to the position, which the entry has advanced by the whole main path */
  int8_t reload;      /* register to take back from SLOT_LONG, or -1 */
  bool flags_dead;    /* the target does not care for the flags */
  bool restore_flags; /* flags are in rax, rax is in SLOT_RAX */
};

/* An address whose permission is known for the rest of the superblock, as long as its registers keep their values. */
struct checked {
  uint8_t base, index, scale, segment;
  uint8_t check; /* which one it was */
  bool write;    /* for writing too */
  int64_t disp;
};

/* The blocks of memory that permissions are for (hand_over.c). */
enum { BLOCK_SHIFT = 6, BLOCK_BYTES = 1 << BLOCK_SHIFT };

/* Of one instruction each, at most, in ranges of their own, and from one block of memory into the next. */
enum { SOURCE_TESTS_MAX = 2 * CHECKED_SUPERBLOCK_MAX };
enum { EXITS_PER_CALL = 3 }; /* a guess at where it leads, and two halves of the return address */
enum {
  STUBS_MAX = SIDE_EXITS_MAX + EXITS_PER_CALL * CALLS_MAX + SUPERBLOCK_MAX + SOURCE_TESTS_MAX + 9,
  CONSTANTS_MAX = CALLS_MAX + 2,
  CHECKED_MAX = 16
};

/* Accesses near the stack pointer that are tested together, before an item (hulls.c). */
struct hull {
  int64_t from, end; /* away from the root there: */
  uint8_t item;
  uint8_t root;    /* the stack pointer, or the frame pointer … */
  uint8_t segment; /* … and the item from which on it is followed */
  bool write;
};
enum { HULL_BYTES = 512, HULL_PAIRS = 5, HULLS_MAX = 24, STACK_PATIENCE = 256 };
/* The most that the checks of a block may cost, so that its code does not get too long. A hull counts as two, code for open memory as four. */
enum { CHECKS_COST_MAX = 60, HULL_COST = 2, OPEN_COST = 4 };

/* A check, until its stub is emitted. */
struct check {
  uint8_t *branch, *back;
  struct exit *exit;
  struct x64_mem mem;
  uint8_t item, scratch;
  uint8_t window; /* bytes from the address tested on that rely on it */
  uint8_t pairs;  /* of blocks, where it is for a hull in the private stack; else 0 */
  bool narrow;    /* the window may not grow */
  bool opens;     /* it is for one instruction, which can access open memory: */
  bool flags_dead;
  int8_t borrowed_behind; /* the register in SLOT_LONG behind the instruction, or -1, … */
  const uint8_t *behind;  /* … and the code there */
  uint8_t *beyond;        /* another branch that leads to the same stub, or NULL */
};
enum { OPERANDS_MAX = 4, CHECKS_MAX = 96 };
_Static_assert(CHECKS_MAX < 256, "checked.check is a byte");
/* In exit.detail of a check, beside its register, if it has one: the application's flags are in the context. */
enum {
  CHECK_NO_SCRATCH = 16,
  CHECK_KEEPS_FLAGS = 1 << 8,
  CHECK_WRITES = 1 << 9,
  CHECK_HULL = 1 << 10,  /* for a hull, and not for an operand: */
  CHECK_PAIRS = 1 << 11, /* the window is pairs of blocks; */
  CHECK_FRAME = 1 << 12, /* its root is the frame pointer; */
  CHECK_OPENS = 1 << 13, /* its instruction can access open memory */
  CHECK_FROM = 32,       /* how far from the root */
  CHECK_OPERAND = 16,
  CHECK_WINDOW = 24, /* which, how many bytes of it, and how far below it they start */
  CHECK_BELOW = 32,
};

struct translation {
  struct code code;
  struct superblock sb;
  struct block *block;
  struct exit *next_exit;
  bool cold;       /* the block is to say when it is hot */
  int8_t borrowed; /* register in SLOT_LONG, or -1 */
  struct stub stubs[STUBS_MAX];
  unsigned stub_count;
  struct {
    uint8_t *at; /* displacement of a RIP-relative operand */
    uint64_t value;
  } constants[CONSTANTS_MAX];
  unsigned constant_count;
  struct check checks[CHECKS_MAX];
  unsigned check_count;
  bool unchecked; /* what it needs was taken before */
  bool narrow;    /* there are no hulls */
  struct checked checked[CHECKED_MAX];
  unsigned checked_count;
  struct hull hulls[HULLS_MAX];
  unsigned hull_count;
  uint8_t in_hull[SUPERBLOCK_MAX]; /* of each item, the operands that a hull covers, one bit each */
  bool opens[SUPERBLOCK_MAX];      /* it was found to access open memory, and has code for that */
  struct insn_map map[SUPERBLOCK_MAX + 1];
};

struct exit *new_exit(struct translation *t, enum exit_kind kind, uintptr_t target);
struct stub *new_stub(struct translation *t, uint8_t *branch, struct exit *exit);
void emit_exit_id(struct code *c, const struct exit *exit);
void emit_exit_tail(struct code *c, const struct exit *exit);

/* The code emitted next belongs to the instruction at pc. */
void note_instruction(struct translation *t, uintptr_t pc);

/* copies.c */
/* Registers that can be the base of a memory operand in the shortest encoding. */
enum { EASY_BASES = 1 << RAX | 1 << RCX | 1 << RDX | 1 << RBX | 1 << RSI | 1 << RDI };
static inline uint16_t used_by(const struct x64_insn *insn) {
  return insn->gpr_read | insn->gpr_written;
}
/* A register that instruction i does not use and that is saved in SLOT_LONG, for free use until it is given back. Only one at
 * a time; allowed is a mask of candidates. */
unsigned borrow(struct translation *t, unsigned i, uint16_t allowed);
void give_back(struct translation *t);
/* The instruction with its memory operand replaced by [base], base being one of EASY_BASES. */
enum {
  REWRITE_LINEAR = 1,   /* without any segment: the base holds the whole address; */
  REWRITE_UNLOCKED = 2, /* without its lock */
};
void emit_rewritten(struct code *c, const struct item *item, unsigned base, unsigned how);
void emit_copied(struct translation *t, unsigned i);

/* ends.c */
void end_jump(struct translation *t, uintptr_t target);
void end_exit(struct translation *t, enum exit_kind kind, uintptr_t target, uint64_t detail);
/* Item i as the last one of the block; as a conditional branch that leaves it; as an indirect one that does not. */
void emit_end(struct translation *t, const struct item *item);
void side_exit(struct translation *t, unsigned i);
void emit_guess(struct translation *t, unsigned i);
void test_return_address(struct translation *t, unsigned i);
void push_return_address(struct translation *t, uintptr_t address);
void release_stack(struct code *c, uint32_t bytes);

/* checks.c */
/* A string instruction with a repeat prefix. */
bool is_repeated(const struct x64_insn *insn);
/* True if the engine has to step over the instruction, after it has taken the permissions; checked: accesses are checked. */
bool wants_engine(const struct x64_insn *insn, bool checked);
/* The accesses of any other instruction that are to be checked. */
unsigned checked_operands(const struct x64_insn *insn, struct x64_mem to[OPERANDS_MAX]);
/* Returns the check of an instruction that can access open memory: its place behind is to be filled in; else NULL. */
struct check *emit_checks(struct translation *t, unsigned i);
void emit_check_stub(struct translation *t, const struct check *check);
enum { LEAVE = 0xc9 };
void keep_flags(struct code *c);
void take_flags_back(struct code *c);
/* Clears the zero flag if the thread may read at the address. */
void test_may_read(struct code *c, uintptr_t address);
void test_block(struct translation *t, unsigned i, const struct x64_mem *mem, unsigned s);
/* Clears the zero flag if the thread has one of these permissions for the block of the operand's first byte. */
void test_bits(struct translation *t, unsigned i, const struct x64_mem *mem, unsigned s, uint8_t bits);
/* s = the operand's address. */
void emit_whole_address(struct code *c, const struct item *item, unsigned s);
/* Branches to the slow path on the condition; from there back to retry. */
struct check *new_check(struct translation *t, unsigned i, unsigned condition, uint8_t *retry,
                        const struct x64_mem *mem, unsigned s, bool flags_dead);

/* open_accesses.c */
bool can_open(const struct x64_insn *insn);
struct check *emit_open_check(struct translation *t, unsigned i);
/* The access to open memory of the check's instruction, and the way behind it; if it can't be made, the check's exit comes next. */
void emit_open_access(struct translation *t, const struct check *check);

/* roots.c */
/* If the instruction adds a constant to a 64-bit register and does nothing else, that register; else REG_NONE. */
unsigned adds_constant(const struct x64_insn *insn, int64_t *constant);
/* The registers known at an item: they are a constant away from the value that the root, the stack or the frame pointer, had at the
 * beginning of the segment. */
struct root {
  uint8_t reg;
  uint8_t segment;    /* its first item */
  uint16_t registers; /* a mask; the root is always there */
  int64_t away[16];
};
void root_begin(struct root *root, unsigned i);
/* Follows the known registers across item i. If it loses the root, another segment begins. */
void root_follow(struct root *root, const struct x64_insn *insn, unsigned i);

/* hulls.c */
/* Before anything is emitted: decides which accesses are tested together. Shortens the superblock if it has more to check than fits. Returns how
 * many checks there will be at most. */
unsigned plan_checks(struct translation *t);
void emit_hulls(struct translation *t, unsigned i);
void emit_hull_stub(struct translation *t, const struct check *check);
void hull_of_miss(const struct thread *thread, struct miss *miss);

/* accesses.c: the instruction at pc, NULL if there is none; it lasts until the next one is asked for. */
const struct x64_insn *instruction_at(struct thread *thread, uintptr_t pc);
/* atomics.c: true if the engine performs it, to order it with those of other threads. */
bool synchronises(const struct x64_insn *insn);
bool is_watched(const struct x64_insn *insn, uintptr_t pc);
/* accesses.c: the address of one of the operands checked of the instruction at pc. */
uintptr_t operand_of(struct thread *thread, uintptr_t pc, unsigned operand);
/* After an instruction: forgets checked addresses whose registers it changes. */
void forget_checked(struct translation *t, const struct x64_insn *insn);

/* context.c: the last instruction counted was not executed after all. */
void uncount_one(struct thread *thread);
void count_back(struct thread *thread, unsigned word, int64_t instructions);

/* The page at which the kernel performs three calls for a thread that jumps there. It lies beyond the addresses that can be translated. */
#define VSYSCALL_PAGE 0xffffffffff600000UL

/* The trap number of refusals that have none of their own; true if the processor can have such an address. */
enum { GENERAL_PROTECTION = 13 };
static inline bool is_canonical(uintptr_t address) {
  intptr_t half = (intptr_t)address >> 47;
  return half == 0 || half == -1;
}

/* emulate.c: refuses an instruction: sets the program counter back to it, and the numbers of the signal frame. */
void refuse(struct thread *thread, uint64_t detail, uint64_t trap_number, uint64_t error_code);
void raise_protection_fault(struct thread *thread, uint64_t detail, uint64_t error_code);

/* flags.c */
enum { SELECTOR_CODE = 0x33, SELECTOR_DATA = 0x2b, SELECTOR_CODE_32 = 0x23 }; /* the same in every process */
uint64_t visible_flags(const struct thread *thread);
/* … with those zero that generated code does not keep. */
uint64_t shown_flags(const struct thread *thread);
void emulate_popf(struct thread *thread, uint64_t detail, unsigned size);
void emulate_pushf(struct thread *thread, uint64_t detail, unsigned size);
void emulate_iretq(struct thread *thread, uint64_t detail);

/* in_use.c */
void complete_saved_state(struct thread *thread, uint64_t address);
uint64_t features_used(uint64_t features, uint64_t address, uint64_t layout);
void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
uint64_t xgetbv(uint32_t index);

/* fip.c */
bool stores_fip(const struct x64_insn *insn);
uint64_t fip_detail(const struct item *item);
void repair_fip(struct thread *thread, uint64_t detail);
uint64_t application_address(uint64_t code);
/* What the program is shown in place of the processor's address. */
uint64_t shown_fip(struct thread *thread, uint64_t fip);

/* links.c */
enum { COUNT_BYTES = 10 }; /* the addition at a block's entry; the jump that polls is behind it */
/* Bytes of the code that arch_link emits for an exit with a correction: perhaps a register taken back, an addition, a jump. */
static inline size_t joint_room(const struct exit *exit) {
  return (exit->borrowed ? 9 : 0) + COUNT_BYTES + 5;
}
/* Redirects every way into the old block to the new one. */
void replace_block(struct block *old, struct block *new);
void emit_entry_check(struct code *c, uintptr_t pc, enum entry_kind entry);

#endif

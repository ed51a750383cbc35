/* superblock.c (AArch64): reads application code and decides how far a block reaches.
 *
 * The main path follows fall-throughs of conditional branches, the targets of direct branches, and calls of short functions that call no
 * other, with their returns. It ends at other calls and returns, indirect branches, system calls, and whatever the engine performs
 * itself. A short loop is unrolled: its back edge leads the main path to the superblock's own start once more, so that position and poll
 * are paid for once in several iterations; its last one ends the block. */
#include "engine/a64/superblock.h"

#include "engine/a64/translate.h"
#include "engine/code.h"
#include "engine/lib.h"

/* Self-checking blocks stay short, since they compare all their source words whenever they are entered. */
enum { SELF_CHECKING_MAX = 8 };

/* Functions that call no other are part of their caller's block when they are this short. */
enum { LEAF_MAX = 20 };

extern const char signal_trampoline[];
enum { TRAMPOLINE_BYTES = 2 * INSN_BYTES };

/* Reads the word at pc; remembers the last page asked about. */
static bool fetch_word(struct superblock *sb, uintptr_t pc, uint32_t *word) {
  if (pc % INSN_BYTES) return false;
  if (pc - (uintptr_t)signal_trampoline < TRAMPOLINE_BYTES) {
    memcpy(word, (const void *)pc, sizeof *word);
    sb->watch = WATCH_OK;
    sb->page_contended = false;
    sb->page = 1;
    return true;
  }
  if (sb->page != ALIGN_DOWN(pc, PAGE)) {
    sb->page = ALIGN_DOWN(pc, PAGE);
    sb->watch = codewatch_begin(sb->page);
    sb->page_contended = code_is_contended(sb->page);
  }
  return sb->watch != WATCH_NOT_CODE && safe_copy(word, (const void *)pc, sizeof *word) == 0;
}

static bool fetch(struct superblock *sb, uintptr_t pc, struct item *item) {
  uint32_t word;
  if (!fetch_word(sb, pc, &word)) return false;
  a64_decode(word, &item->insn);
  item->pc = pc;
  item->inlined = item->taken = false;
  return true;
}

/* Adds bytes to the superblock's source; false when they would need one range too many. */
static bool add_source(struct superblock *sb, uintptr_t start, uintptr_t end) {
  if (sb->range_count && sb->ranges[sb->range_count - 1].end == start) {
    sb->ranges[sb->range_count - 1].end = end;
    return true;
  }
  if (sb->range_count == SOURCE_RANGES) return false;
  sb->ranges[sb->range_count++] = (struct source_range){start, end};
  return true;
}

static bool seen(const struct superblock *sb, uintptr_t pc) {
  for (unsigned i = 0; i < sb->count; i++)
    if (sb->items[i].pc == pc) return true;
  return false;
}

/* Whether the back edge just added closes a loop over the whole superblock that has room for one more iteration: it may become longer then. */
static bool unrolls(struct superblock *sb, uintptr_t target) {
  if (target != sb->items[0].pc || sb->self_checking) return false;
  unsigned iteration = 1; /* instructions from the start to the first back edge */
  while (iteration < sb->count && sb->items[iteration].pc != target) iteration++;
  if (sb->count + iteration > sb->unrolled_limit || sb->side_exits == SIDE_EXITS_MAX) return false;
  sb->limit = sb->unrolled_limit;
  return true;
}

/* Whether the code at pc is a stub of a procedure linkage table:  adrp x16; ldr x17, [x16 + n]; add x16, …; br x17  */
static bool is_linkage_stub(struct superblock *sb, uintptr_t pc) {
  static const struct {
    uint32_t mask, value;
  } pattern[] = {
      {0x9f00001f, 0x90000010}, {0xffc003ff, 0xf9400211}, {0xff8003ff, 0x91000210}, {0xffffffff, 0xd61f0220}};
  uint32_t word;
  for (unsigned i = 0; i < COUNT_OF(pattern); i++)
    if (!fetch_word(sb, pc + (uintptr_t)i * INSN_BYTES, &word) ||
        !a64_matches(word, pattern[i].mask, pattern[i].value))
      return false;
  return true;
}

static bool returns_by_link(const struct a64_insn *insn) {
  return insn->kind == A64_RETURN && !insn->authenticates && a64_register(insn->word, FIELD_N) == LINK;
}

/* Whether the function at pc runs straight to its return, but for branches forward, and leaves the return address where it is. */
static bool is_leaf(struct superblock *sb, uintptr_t pc) {
  struct item item;
  for (unsigned i = 0; i < LEAF_MAX; i++, pc += INSN_BYTES) {
    if (!fetch(sb, pc, &item)) return false;
    if (returns_by_link(&item.insn)) return true;
    if (item.insn.kind == A64_CONDITIONAL ? item.insn.offset <= 0
                                          : item.insn.kind != A64_COPY && item.insn.kind != A64_ADDRESS)
      return false;
    if (a64_registers_written(&item.insn) >> LINK & 1) return false;
  }
  return false;
}

static bool follow_to(struct superblock *sb, struct item *item, uintptr_t target) {
  item->inlined = true;
  sb->open = true;
  sb->next_pc = target;
  return true;
}

/* Where the main path goes after the item just added; false when it ends there. */
static bool follow(struct superblock *sb, struct item *item) {
  uintptr_t next = item->pc + INSN_BYTES, target = item->pc + (uintptr_t)item->insn.offset;
  sb->open = false;
  switch (item->insn.kind) {
    case A64_COPY:
    case A64_ADDRESS:
    case A64_LOAD_LITERAL:
    case A64_PREFETCH_LITERAL:
    case A64_WAIT_EVENT:
    case A64_LOAD_EXCLUSIVE:
    case A64_STORE_EXCLUSIVE:
    case A64_CLEAR_EXCLUSIVE:
    case A64_BLOCK_OF_EIGHT:
      sb->open = true;
      sb->next_pc = next;
      return !(sb->self_checking && item->insn.mem.access & ACCESS_WRITE);
    case A64_CONDITIONAL:
      item->taken = target <= item->pc && unrolls(sb, target);
      if ((target == sb->items[0].pc && !item->taken) || sb->side_exits == SIDE_EXITS_MAX) return false;
      sb->side_exits++;
      sb->open = true;
      sb->next_pc = item->taken ? target : next;
      return true;
    case A64_CALL:
      if (sb->self_checking || sb->back) return false;
      if (is_leaf(sb, target))
        sb->back = next;
      else if (!is_linkage_stub(sb, target))
        return false;
      return follow_to(sb, item, target);
    case A64_RETURN:
      if (!sb->back || !returns_by_link(&item->insn)) return false;
      target = sb->back;
      sb->back = 0;
      return follow_to(sb, item, target);
    case A64_BRANCH:
      if (sb->self_checking || (seen(sb, target) && !unrolls(sb, target))) return false;
      return follow_to(sb, item, target);
    default:
      return false;
  }
}

void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit, unsigned unrolled_limit) {
  sb->count = sb->side_exits = sb->range_count = 0;
  sb->page = 1; /* no page */
  sb->unfetchable = sb->for_engine = sb->contended = false;
  sb->open = true;
  sb->next_pc = pc;
  sb->back = 0;
  sb->limit = limit;
  sb->unrolled_limit = unrolled_limit;
  while (sb->count < sb->limit) {
    struct item *item = &sb->items[sb->count];
    if (!fetch(sb, sb->next_pc, item)) {
      sb->unfetchable = sb->count == 0;
      return;
    }
    bool self_checking = sb->watch == WATCH_SELF_CHECK;
    if (sb->count && self_checking != sb->self_checking) return;
    bool for_engine = limit > 1 && (wants_engine(&item->insn) || code_is_shared(item->pc, INSN_BYTES));
    if (sb->count && for_engine) return;
    sb->self_checking = self_checking;
    if (self_checking && sb->count == SELF_CHECKING_MAX) return;
    if (!add_source(sb, item->pc, item->pc + INSN_BYTES)) return;
    sb->contended |= sb->page_contended;
    sb->count++;
    sb->for_engine = for_engine;
    if (a64_registers_written(&item->insn) >> LINK & 1) sb->back = 0; /* code may change while it is read */
    if (for_engine || !follow(sb, item)) return;
  }
}

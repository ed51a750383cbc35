/* superblock.c (AArch64): reads application code and decides how far a block reaches.
 *
 * The main path follows fall-throughs of forward conditional branches and the targets of direct branches. It ends at calls (but goes
 * on through linkage stubs), returns, indirect branches, backward conditional branches (a loop's end: both ways out then need no
 * correction of the position), system calls, and instructions that the engine performs itself. Blocks that have become hot follow the path
 * that the program took instead (inlining.c). */
#include "engine/a64/superblock.h"

#include "engine/a64/translate.h"
#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/region/debug.h"

/* Self-checking blocks stay short, since they compare all their source words whenever they are entered. */
enum { SELF_CHECKING_MAX = 8 };

/* Of a page or window: none. */
enum { NO_ADDRESS = 1 };

extern const char signal_trampoline[];
enum { TRAMPOLINE_BYTES = 2 * INSN_BYTES };

/* Copies the words around pc, which lie in one page. */
static bool fetch_window(struct superblock *sb, uintptr_t pc) {
  sb->window = ALIGN_DOWN(pc, sizeof sb->words);
  if (!safe_copy(sb->words, (const void *)sb->window, sizeof sb->words)) return true;
  sb->window = NO_ADDRESS;
  return false;
}

/* Reads the word at pc; remembers the last page asked about. */
static bool fetch_word(struct superblock *sb, uintptr_t pc, uint32_t *word) {
  if (pc % INSN_BYTES) return false;
  if (pc - (uintptr_t)signal_trampoline < TRAMPOLINE_BYTES) {
    memcpy(word, (const void *)pc, sizeof *word);
    sb->watch = WATCH_OK;
    sb->page_contended = false;
    sb->page = NO_ADDRESS;
    return true;
  }
  if (sb->page != ALIGN_DOWN(pc, PAGE)) {
    sb->page = ALIGN_DOWN(pc, PAGE);
    sb->watch = codewatch_begin(sb->page);
    sb->page_contended = code_is_contended(sb->page);
  }
  if (sb->watch == WATCH_NOT_CODE) return false;
  bool copied = sb->window != NO_ADDRESS && pc - sb->window < sizeof sb->words;
  if (!copied && !fetch_window(sb, pc)) return false;
  *word = sb->words[(pc - sb->window) / INSN_BYTES];
  if (sb->watch == WATCH_ANNOUNCED) codewatch_read(pc, *word);
  return true;
}

static bool fetch(struct superblock *sb, uintptr_t pc, struct item *item) {
  uint32_t word;
  if (!fetch_word(sb, pc, &word)) return false;
  a64_decode(word, &item->insn);
  sb->tells_time |= a64_reads_timer(&item->insn);
  if (!in_sphere() && !time_is_guarded && a64_reads_timer(&item->insn))
    item->insn.kind = A64_COPY; /* only a recording of the time has to leave the cache for it */
  item->pc = pc;
  item->inlined = item->taken = false;
  item->expected = 0;
  return true;
}

/* Adds bytes to the superblock's source; false when they would need one range too many. */
static bool add_source(struct superblock *sb, uintptr_t start, uintptr_t end) {
  if (sb->range_count && sb->ranges[sb->range_count - 1].end == start) {
    sb->ranges[sb->range_count - 1].end = end;
    return true;
  }
  for (unsigned i = 0; i < sb->range_count; i++)
    if (sb->ranges[i].start <= start && end <= sb->ranges[i].end) return true;
  if (sb->range_count == SOURCE_RANGES) return false;
  sb->ranges[sb->range_count++] = (struct source_range){start, end};
  return true;
}

static bool seen(const struct superblock *sb, uintptr_t pc) {
  for (unsigned i = 0; i < sb->count; i++)
    if (sb->items[i].pc == pc) return true;
  return false;
}

/* True if the code at pc is a stub of a procedure linkage table:  adrp x16; ldr x17, [x16 + n]; add x16, …; br x17  */
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

bool returns_by_link(const struct a64_insn *insn) {
  return insn->kind == A64_RETURN && !insn->authenticates && a64_register(insn->word, FIELD_N) == LINK;
}

bool superblock_pass(struct superblock *sb, const struct item *item) {
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
      sb->next_pc = item->pc + INSN_BYTES;
      return !(sb->self_checking && item->insn.mem.access & ACCESS_WRITE);
    default:
      return false;
  }
}

/* Continues the main path after the item just added; false when it ends there. */
static bool follow(struct superblock *sb, struct item *item) {
  uintptr_t next = item->pc + INSN_BYTES, target = item->pc + (uintptr_t)item->insn.offset;
  sb->open = false;
  switch (item->insn.kind) {
    case A64_CONDITIONAL:
      if (target <= item->pc || sb->side_exits == PLAIN_SIDE_EXITS_MAX) return false;
      sb->side_exits++;
      sb->open = true;
      sb->next_pc = next;
      return true;
    case A64_CALL:
    case A64_BRANCH:
      if (sb->self_checking) return false;
      if (item->insn.kind == A64_CALL ? !is_linkage_stub(sb, target) : seen(sb, target)) return false;
      item->inlined = true;
      sb->open = true;
      sb->next_pc = target;
      return true;
    default:
      return superblock_pass(sb, item);
  }
}

/* Items further from the start than a displacement in the map reaches must all be near each other. */
static bool within_reach(struct superblock *sb, uintptr_t pc) {
  if (!sb->count || superblock_near(sb->items[0].pc, pc)) return true;
  if (!sb->far_pc) sb->far_pc = pc;
  return superblock_near(sb->far_pc, pc);
}

bool superblock_add(struct superblock *sb) {
  if (!within_reach(sb, sb->next_pc)) return false;
  if (debugged() && sb->count && debug_breaks_at(sb->next_pc)) return false;
  struct item *item = &sb->items[sb->count];
  if (!fetch(sb, sb->next_pc, item)) {
    sb->unfetchable = sb->count == 0;
    return false;
  }
  bool self_checking = sb->watch == WATCH_SELF_CHECK;
  if (sb->count && self_checking != sb->self_checking) return false;
  bool for_engine = sb->limit > 1 && (wants_engine(&item->insn) || is_watched(&item->insn, item->pc) ||
                                      code_is_shared(item->pc, INSN_BYTES));
  if (sb->count && for_engine) return false;
  sb->self_checking = self_checking;
  if (self_checking && sb->count == SELF_CHECKING_MAX) return false;
  if (!add_source(sb, item->pc, item->pc + INSN_BYTES)) return false;
  sb->contended |= sb->page_contended;
  sb->count++;
  return !(sb->for_engine = for_engine);
}

void superblock_begin(struct superblock *sb, uintptr_t pc, unsigned limit) {
  sb->count = sb->side_exits = sb->range_count = sb->call_count = sb->frame_count = 0;
  sb->page = sb->window = NO_ADDRESS;
  sb->far_pc = 0;
  sb->unfetchable = sb->for_engine = sb->contended = sb->tells_time = false;
  sb->open = true;
  sb->next_pc = pc;
  sb->limit = limit;
}

void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit) {
  superblock_begin(sb, pc, limit);
  while (sb->count < sb->limit && superblock_add(sb) && follow(sb, &sb->items[sb->count - 1])) continue;
}

void superblock_read_step(struct superblock *sb, uintptr_t pc, unsigned limit) {
  superblock_begin(sb, pc, limit);
  while (sb->count < sb->limit && superblock_add(sb)) {
    sb->open = false;
    if (!superblock_pass(sb, &sb->items[sb->count - 1])) return;
  }
}

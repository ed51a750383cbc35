/* superblock.c (x86-64): reads application code and decides how far a block reaches.
 *
 * The main path follows fall-throughs of forward conditional branches and the targets of direct jumps. It goes
 * through short functions (inlining.c), and ends at other calls and returns, indirect branches, backward conditional branches (a loop's end: both ways out then need no correction of
 * the position), system calls, and whatever the engine emulates. A short loop is unrolled: its back edge leads the main path
 * to the superblock's own start once more, so that position and poll are paid for once in several iterations. */
#include "engine/x64/superblock.h"

#include "engine/code.h"
#include "engine/lib.h"
#include "engine/x64/translate.h"

/* Self-checking blocks stay short, since they compare all their source bytes whenever they are entered. */
enum { SELF_CHECKING_BYTES = 32 };

/* A loop is unrolled while the result stays this short. */
enum { UNROLLED_MAX = 40 };

/* How far a look at foreign code goes to learn about flags. */
enum { PEEK_MAX = 6 };

/* Copies executable bytes from one page; remembers the last page asked about. */
static bool fetch_bytes(struct superblock *sb, uintptr_t pc, uint8_t *to, size_t bytes, bool *self_checking) {
  if (sb->page != ALIGN_DOWN(pc, PAGE)) {
    sb->page = ALIGN_DOWN(pc, PAGE);
    sb->watch = codewatch_begin(sb->page);
  }
  *self_checking |= sb->watch == WATCH_SELF_CHECK;
  return sb->watch != WATCH_NOT_CODE && safe_copy(to, (const void *)pc, bytes) == 0;
}

/* Reads and decodes the instruction at pc. On failure *fault is the first byte that can't be executed. */
static bool fetch(struct superblock *sb, uintptr_t pc, struct item *item, bool *self_checking,
                  uintptr_t *fault) {
  uintptr_t page_end = ALIGN_DOWN(pc, PAGE) + PAGE;
  size_t have = MIN((uintptr_t)X64_INSN_MAX, page_end - pc);
  *self_checking = false;
  *fault = pc;
  if (!fetch_bytes(sb, pc, item->bytes, have, self_checking)) return false;
  if (!x64_decode(item->bytes, have, &item->insn)) {
    *fault = page_end;
    if (!fetch_bytes(sb, page_end, item->bytes + have, X64_INSN_MAX - have, self_checking)) return false;
    if (!x64_decode(item->bytes, X64_INSN_MAX, &item->insn)) BUG("undecided instruction at %lx", pc);
  }
  item->pc = pc;
  item->inlined = item->taken = false;
  item->returns_to = 0;
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

/* Whether the back edge just added closes a loop over the whole superblock that has room for one more iteration. */
static bool unrolls(const struct superblock *sb, uintptr_t target) {
  if (target != sb->items[0].pc || sb->self_checking) return false;
  unsigned iteration = 1; /* instructions from the start to the first back edge */
  while (iteration < sb->count && sb->items[iteration].pc != target) iteration++;
  return sb->count + iteration <= UNROLLED_MAX && sb->side_exits < SIDE_EXITS_MAX;
}

/* Whether the code at pc is a stub of a procedure linkage table: nothing but a jump through memory. */
static bool is_linkage_stub(struct superblock *sb, uintptr_t pc) {
  struct item item;
  bool self_checking;
  uintptr_t fault;
  if (!fetch(sb, pc, &item, &self_checking, &fault)) return false;
  static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (memcmp(item.bytes, endbr64, sizeof endbr64) == 0)
    if (!fetch(sb, pc + sizeof endbr64, &item, &self_checking, &fault)) return false;
  return item.insn.kind == INSN_JMP_IND && item.insn.has_mem && item.insn.mem.base == REG_RIP;
}

/* Where the main path goes after the item just added; false when it ends there. */
static bool follow(struct superblock *sb, struct item *item) {
  uintptr_t next = item->pc + item->insn.len, target = next + (uintptr_t)item->insn.imm;
  sb->open = false;
  switch (item->insn.kind) {
    case INSN_COPY:
    case INSN_STRING:
    case INSN_XSAVE:
    case INSN_WAIT:
    case INSN_PKRU:
    case INSN_XGETBV:
    case INSN_RDFSBASE:
    case INSN_WRFSBASE:
    case INSN_SMSW_LIKE:
    case INSN_MOV_FROM_SEG:
    case INSN_BIT_STRING:
    case INSN_MOVDIR64B:
    case INSN_CLZERO:
    case INSN_TILE_MEMORY:
    case INSN_PUSHF:
      if (stores_fip(&item->insn) || (item->insn.kind == INSN_PUSHF && sb->limit == 1)) return false;
      sb->open = true;
      sb->next_pc = next;
      return !(sb->self_checking && (item->insn.mem.access & ACCESS_WRITE ||
                                     item->insn.stack_access & ACCESS_WRITE || item->insn.string_write));
    case INSN_JCC:
      item->taken = target <= item->pc && unrolls(sb, target);
      if ((target <= item->pc && !item->taken) || sb->side_exits == SIDE_EXITS_MAX) return false;
      sb->side_exits++;
      sb->open = true;
      sb->next_pc = item->taken ? target : next;
      return true;
    case INSN_CALL:
      if (sb->count == SUPERBLOCK_MAX || sb->self_checking) return false;
      if (!is_linkage_stub(sb, target)) /* with all accesses checked, a return reads the stack as any other */
        return config.check != CHECK_ALL && inlining_begin(sb, item, target);
      item->inlined = true;
      sb->open = true;
      sb->next_pc = target;
      return true;
    case INSN_RET:
      return inlining_return(sb, item);
    case INSN_JMP:
      if (sb->count == SUPERBLOCK_MAX || sb->self_checking || (seen(sb, target) && !unrolls(sb, target)))
        return false;
      item->inlined = true;
      sb->open = true;
      sb->next_pc = target;
      return true;
    default:
      return false;
  }
}

static void read_main_path(struct superblock *sb) {
  unsigned bytes = 0;
  while (sb->count < sb->limit && inlining_goes_on(sb)) {
    struct item *item = &sb->items[sb->count];
    bool self_checking;
    if (!fetch(sb, sb->next_pc, item, &self_checking, &sb->fault_address)) {
      sb->unfetchable = sb->count == 0;
      return;
    }
    if (sb->count && self_checking != sb->self_checking) return;
    bool for_engine = sb->limit > 1 && wants_engine(&item->insn);
    if (sb->count && for_engine) return;
    sb->self_checking = self_checking;
    if (self_checking && sb->count && bytes + item->insn.len > SELF_CHECKING_BYTES) return;
    if (!add_source(sb, item->pc, item->pc + item->insn.len)) return;
    bytes += item->insn.len;
    sb->count++;
    sb->for_engine = for_engine;
    if (for_engine || !follow(sb, item)) return;
  }
}

void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit) {
  sb->limit = limit;
  sb->count = sb->side_exits = sb->range_count = sb->call_count = sb->frame_count = 0;
  sb->page = 1; /* no page */
  sb->unfetchable = sb->for_engine = false;
  sb->open = true;
  sb->next_pc = pc;
  read_main_path(sb);
  inlining_end(sb);
}

/* -- Liveness --------------------------------------------------------------------------------------------------- */

/* What one instruction does to the set of flags still in doubt: false when the answer is known (*dead says which). */
static bool flags_step(const struct x64_insn *insn, unsigned *doubt, bool *dead) {
  if (insn->flags_read & *doubt) return *dead = false;
  *doubt &= ~(unsigned)insn->flags_killed;
  if (!*doubt) {
    *dead = true;
    return false;
  }
  return true;
}

static bool passes(const struct x64_insn *insn) {
  return insn->kind == INSN_COPY || insn->kind == INSN_STRING;
}

bool superblock_flags_dead(const struct superblock *sb, unsigned i) {
  unsigned doubt = FLAGS_STATUS;
  bool dead;
  for (; i < sb->count; i++) {
    if (!flags_step(&sb->items[i].insn, &doubt, &dead)) return dead;
    if (!passes(&sb->items[i].insn) && !sb->items[i].inlined) return false;
  }
  return false;
}

bool superblock_flags_dead_at(struct superblock *sb, uintptr_t pc) {
  if (sb->self_checking) return false;
  unsigned doubt = FLAGS_STATUS;
  bool dead = false, self_checking;
  uintptr_t at = pc, fault;
  struct item item;
  for (unsigned i = 0; i < PEEK_MAX; i++) {
    if (!fetch(sb, at, &item, &self_checking, &fault) || self_checking) return false;
    at += item.insn.len;
    if (!flags_step(&item.insn, &doubt, &dead)) return dead && add_source(sb, pc, at);
    if (!passes(&item.insn)) return false;
  }
  return false;
}

unsigned superblock_next_use(const struct superblock *sb, unsigned i, unsigned reg) {
  unsigned distance = 0;
  for (; i < sb->count; i++, distance++)
    if ((sb->items[i].insn.gpr_read | sb->items[i].insn.gpr_written) >> reg & 1) break;
  return distance;
}

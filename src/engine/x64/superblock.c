/* superblock.c (x86-64): reads application code and decides how far a block reaches.
 *
 * The main path follows fall-throughs of forward conditional branches and the targets of direct jumps. It ends at calls (but
 * goes on through linkage stubs), returns, indirect branches, backward conditional branches (a loop's end: both ways out then
 * need no correction of the position), system calls, and instructions that the engine emulates. Blocks that have become hot follow
 * the path that the program took instead (inlining.c). */
#include "engine/x64/superblock.h"

#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/x64/translate.h"
#include "engine/region/debug.h"

/* Self-checking blocks stay short, since they compare all their source bytes whenever they are entered. */
enum { SELF_CHECKING_BYTES = 32 };

/* The instructions of foreign code that are searched for flags, if the answer does not matter much. */
enum { PEEK_MAX = 6 };

/* And those inside a superblock: the answer must not depend on its length, see shown_flags in frame.c. */
enum { FLAGS_LOOK = 32 };

/* Copies executable bytes from one page; remembers the last page asked about. */
static bool fetch_bytes(struct superblock *sb, uintptr_t pc, uint8_t *to, size_t bytes, bool *self_checking) {
  if (sb->page != ALIGN_DOWN(pc, PAGE)) {
    sb->page = ALIGN_DOWN(pc, PAGE);
    sb->watch = codewatch_begin(sb->page);
    sb->page_contended = code_is_contended(sb->page);
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
  bool tells_time = item->insn.kind == INSN_RDTSC || item->insn.kind == INSN_RDTSCP;
  sb->tells_time |= tells_time;
  if (tells_time && !in_sphere() && !time_is_guarded)
    item->insn.kind = INSN_COPY; /* only who records the time has to leave the cache for it */
  item->pc = pc;
  item->inlined = item->taken = false;
  item->returns_to = item->guessed = 0;
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

/* True if the code at pc is a stub of a procedure linkage table: nothing but a jump through memory. */
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

bool superblock_pass(struct superblock *sb, const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  switch (insn->kind) {
    case INSN_COPY:
    case INSN_STRING:
    case INSN_XSAVE:
    case INSN_WAIT:
    case INSN_PKRU:
    case INSN_RDFSBASE:
    case INSN_WRFSBASE:
    case INSN_SMSW_LIKE:
    case INSN_MOV_FROM_SEG:
    case INSN_BIT_STRING:
    case INSN_MOVDIR64B:
    case INSN_CLZERO:
    case INSN_TILE_MEMORY:
    case INSN_PUSHF:
      if (stores_fip(insn) || (insn->kind == INSN_PUSHF && sb->limit == 1)) return false;
      sb->open = true;
      sb->next_pc = item->pc + insn->len;
      return !(sb->self_checking &&
               (insn->mem.access & ACCESS_WRITE || insn->stack_access & ACCESS_WRITE || insn->string_write));
    default:
      return false;
  }
}

/* Continues the main path after the item just added; false when it ends there. */
static bool follow(struct superblock *sb, struct item *item) {
  uintptr_t next = item->pc + item->insn.len, target = next + (uintptr_t)item->insn.imm;
  sb->open = false;
  switch (item->insn.kind) {
    case INSN_JCC:
      if (target <= item->pc || sb->side_exits == PLAIN_SIDE_EXITS_MAX || sb->up_to_branch) return false;
      sb->side_exits++;
      sb->open = true;
      sb->next_pc = next;
      return true;
    case INSN_CALL:
    case INSN_JMP:
      if (sb->count >= sb->limit || sb->self_checking || sb->up_to_branch) return false;
      if (item->insn.kind == INSN_CALL ? !is_linkage_stub(sb, target) : seen(sb, target)) return false;
      item->inlined = true;
      sb->open = true;
      sb->next_pc = target;
      return true;
    default:
      return superblock_pass(sb, item);
  }
}

/* Items further from the start than a relative branch reaches must all be near each other. */
static bool within_reach(struct superblock *sb, uintptr_t pc) {
  if (!sb->count || superblock_near(sb->items[0].pc, pc)) return true;
  if (!sb->far_pc) sb->far_pc = pc;
  return superblock_near(sb->far_pc, pc);
}

bool superblock_add(struct superblock *sb) {
  if (!within_reach(sb, sb->next_pc)) return false;
  if (debugged() && sb->count && !sb->looks && debug_breaks_at(sb->next_pc)) return false;
  struct item *item = &sb->items[sb->count];
  bool self_checking;
  if (!fetch(sb, sb->next_pc, item, &self_checking, &sb->fault_address)) {
    sb->unfetchable = sb->count == 0;
    return false;
  }
  if (sb->count && self_checking != sb->self_checking) return false;
  sb->repeats |= is_repeated(&item->insn);
  /* Code that is only looked at is not checked, even where blocks are. */
  bool checked =
      config.check == CHECK_ALL && !sb->looks &&
      (sb->limit == CHECKED_SUPERBLOCK_MAX || sb->limit == CHECKED_PATH_MAX || checks_steps(sb->limit));
  bool for_engine =
      sb->limit > 1 && (wants_engine(&item->insn, checked) || synchronises(&item->insn) ||
                        is_watched(&item->insn, item->pc) || code_is_shared(item->pc, item->insn.len));
  if (sb->count && for_engine) return false;
  sb->self_checking = self_checking;
  sb->contended |= sb->page_contended;
  if (self_checking && sb->count && sb->bytes + item->insn.len > SELF_CHECKING_BYTES) return false;
  if (!add_source(sb, item->pc, item->pc + item->insn.len)) return false;
  sb->bytes += item->insn.len;
  sb->count++;
  return !(sb->for_engine = for_engine);
}

void superblock_begin(struct superblock *sb, uintptr_t pc, unsigned limit) {
  sb->limit = limit;
  sb->count = sb->side_exits = sb->range_count = sb->call_count = sb->frame_count = sb->bytes = 0;
  sb->page = 1; /* no page */
  sb->far_pc = 0;
  sb->unfetchable = sb->for_engine = sb->up_to_branch = sb->contended = false;
  sb->tells_time = sb->repeats = false;
  sb->open = true;
  sb->next_pc = pc;
}

void superblock_read(struct superblock *sb, uintptr_t pc, unsigned limit, bool up_to_branch) {
  superblock_begin(sb, pc, limit);
  sb->up_to_branch = up_to_branch;
  while (sb->count < sb->limit && superblock_add(sb) && follow(sb, &sb->items[sb->count - 1])) continue;
}

/* -- Liveness --------------------------------------------------------------------------------------------------- */

/* Removes the flags that one instruction decides from those in doubt: false when the answer is known (in *dead). */
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

/* Calls and returns end the search whether they were followed or not: so the answer for an instruction is the same in every
 * superblock that has it, and superblock_may_lose_flags finds it too. */
bool superblock_flags_dead(const struct superblock *sb, unsigned i) {
  unsigned doubt = FLAGS_STATUS;
  bool dead;
  unsigned end = MIN(sb->count, i + FLAGS_LOOK);
  for (; i < end; i++) {
    if (!flags_step(&sb->items[i].insn, &doubt, &dead)) return dead;
    bool jump = sb->items[i].inlined && sb->items[i].insn.kind == INSN_JMP;
    if (!passes(&sb->items[i].insn) && !jump) return false;
  }
  return false;
}

/* A look at code outside the superblock: the bytes read, and whether the engine notices when they change. */
struct look {
  struct source_range ranges[2];
  bool steady;
};

/* True if the flags in doubt are overwritten from pc on before anything can read them, at most so many instructions on and through one
 * direct jump or call. */
static bool overwritten_at(struct superblock *sb, uintptr_t pc, unsigned doubt, unsigned most,
                           struct look *look) {
  struct source_range *range = look->ranges;
  *look = (struct look){.ranges = {{pc, pc}}, .steady = true};
  for (unsigned i = 0; i < most; i++) {
    struct item item;
    bool self_checking, dead;
    uintptr_t fault;
    if (!fetch(sb, range->end, &item, &self_checking, &fault)) return false;
    look->steady &= !self_checking && !sb->page_contended;
    range->end += item.insn.len;
    if (!flags_step(&item.insn, &doubt, &dead)) return dead;
    if (passes(&item.insn)) continue;
    if ((item.insn.kind != INSN_JMP && item.insn.kind != INSN_CALL) || range != look->ranges) return false;
    uintptr_t target = range->end + (uintptr_t)item.insn.imm;
    *++range = (struct source_range){target, target};
  }
  return false;
}

static bool relies_on(struct superblock *sb, const struct look *look) {
  if (sb->self_checking || sb->contended || !look->steady) return false;
  for (unsigned i = 0; i < COUNT_OF(look->ranges); i++)
    if (look->ranges[i].end && !add_source(sb, look->ranges[i].start, look->ranges[i].end)) return false;
  return true;
}

bool superblock_flags_dead_at(struct superblock *sb, uintptr_t pc, bool hot) {
  struct look look;
  return overwritten_at(sb, pc, FLAGS_STATUS, hot ? FLAGS_LOOK : PEEK_MAX, &look) && relies_on(sb, &look);
}

/* Like superblock_flags_dead at the entry, but if the search comes to a direct call it goes on in the function. */
static bool dead_at_entry(struct superblock *sb, struct look *look) {
  unsigned doubt = FLAGS_STATUS, end = MIN(sb->count, (unsigned)FLAGS_LOOK);
  *look = (struct look){.steady = true};
  for (unsigned i = 0; i < end; i++) {
    const struct item *item = &sb->items[i];
    bool dead;
    if (!flags_step(&item->insn, &doubt, &dead)) return dead;
    if (item->insn.kind == INSN_CALL)
      return overwritten_at(sb, item->pc + item->insn.len + (uintptr_t)item->insn.imm, doubt, FLAGS_LOOK,
                            look);
    if (!passes(&item->insn) && !(item->inlined && item->insn.kind == INSN_JMP)) return false;
  }
  return false;
}

/* An application that single-steps sees them behind each instruction. */
bool superblock_flags_dead_at_entry(struct superblock *sb) {
  struct look look;
  return sb->limit == 1 ? superblock_flags_dead(sb, 0) : dead_at_entry(sb, &look) && relies_on(sb, &look);
}

bool superblock_may_lose_flags(struct superblock *sb) {
  struct look look;
  return dead_at_entry(sb, &look);
}

unsigned superblock_next_use(const struct superblock *sb, unsigned i, unsigned reg) {
  unsigned distance = 0;
  for (; i < sb->count; i++, distance++)
    if ((sb->items[i].insn.gpr_read | sb->items[i].insn.gpr_written) >> reg & 1) break;
  return distance;
}
